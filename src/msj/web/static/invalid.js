// Input that breaks a rule: the control is marked and the rule stands below it, until the value is right again.
"use strict";

// Return the rule that a control breaks, or "".
export function broken(control, above0 = false) {
  const { value, min, max, validity } = control;
  const whole = control.step === "1";
  const kind = whole ? "a whole number" : "a number";
  const range = [min !== "" && !above0 ? `at least ${min}` : "", max !== "" ? `at most ${max}` : "", above0 ? "above 0" : ""].filter(Boolean).join(" and ");
  const rule = `${kind}${range ? `, ${range}` : ""}`;
  if (value === "" || validity.badInput) return `Give ${rule}.`;
  if (!validity.valid || (above0 && !(Number(value) > 0))) return `${value} is not allowed here: give ${rule}.`;
  return "";
}

export function mark(control, words) {
  const id = `${control.id}-invalid`;
  let place = document.getElementById(id);
  if (!words) {
    control.removeAttribute("aria-invalid");
    if (place) {
      control.removeAttribute("aria-describedby");
      place.remove();
    }
    return;
  }
  if (!place) {
    place = Object.assign(document.createElement("output"), { id, className: "invalid" });
    control.closest("p").append(place);
  }
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", id);
  place.textContent = `${words} The numbers shown are for the last value that was right.`;
}

export function clear(root) {
  for (const control of root.querySelectorAll("[aria-invalid]")) if (control !== document.activeElement) mark(control, "");
}
