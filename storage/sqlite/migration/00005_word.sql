-- The words of entries, for conditions on exact words: docs/decisions/0033-match.md.

-- +goose Up

-- The forms of live searchable entries (lexical.Document.Forms), " a b ": what
-- table word was given for them, by which it is changed later.
CREATE TABLE form (
  doc   INTEGER PRIMARY KEY REFERENCES entry,
  forms TEXT NOT NULL
) STRICT;

-- The full-text index of these, by docID. Its terms are lexical.FormKey: store,
-- label and form in one. It holds no positions and no text besides its terms.
CREATE VIRTUAL TABLE word USING fts5 (keys, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

-- +goose Down

DROP TABLE word;
DROP TABLE form;
