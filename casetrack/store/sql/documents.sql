-- `_ledger_this` is the documents table.
CREATE VIEW this.documents AS
SELECT * FROM _ledger_this;
