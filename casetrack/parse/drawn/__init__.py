"""Drawings of Office files, whatever holds them: shapes, tables, charts, diagrams."""
