"""``python -m theorycalc``."""

from theorycalc.cli import main

raise SystemExit(main())
