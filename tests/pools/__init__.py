"""Tests of pools of features."""
