"""``python -m msj`` is ``msj``."""

from msj.cli import main

main()
