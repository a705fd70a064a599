"""Steps of any size: dressed features, the network after the step with η²/N held fixed (docs/theory/dressed.md)."""
