"""Running a command as a user does."""

import pytest

from msj.cli import main


@pytest.fixture
def run(capsys):
    def run_it(*arguments):
        with pytest.raises(SystemExit) as leave:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return leave.value.code, out, err

    return run_it
