"""Drawings of Office files of any format: shapes, tables, charts, diagrams."""
