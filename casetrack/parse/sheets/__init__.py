"""Spreadsheets: XLSX, XLSM, XLS, ODS."""
