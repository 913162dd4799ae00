"""One module for each command of the command line. The programs behind a command are imported when it runs."""
