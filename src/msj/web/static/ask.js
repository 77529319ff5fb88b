// Questions to the server. Every one can be called off; the server stops computing what nobody waits for.
"use strict";

const token = location.pathname.split("/")[1];

async function send(path, body, signal) {
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    credentials: "omit",
  });
  return response;
}

export async function get(path) {
  return (await send(path)).json();
}

export async function post(path, body, signal) {
  const response = await send(path, body, signal);
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error), { result: found.result }); // the part that is complete
  return found;
}

// Give each line of a streamed answer as it comes.
export async function* stream(body, signal) {
  const response = await send("/api/answer", { ...body, stream: true }, signal);
  if (!response.ok) throw new Error((await response.json()).error);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const found = JSON.parse(line);
      if (found.error) throw new Error(found.error);
      yield found;
    }
  }
}
