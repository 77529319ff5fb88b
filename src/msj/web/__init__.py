"""A page beside the command line: a local server that answers questions about a cluster while somebody changes it.

Nothing is computed here: the questions go to the same answerers as those of the command line, in processes that can be
stopped. ``msj explore`` starts it; starlette and uvicorn come with ``msj[web]`` and are imported in this room only.
"""
