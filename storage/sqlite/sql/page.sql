-- The pages of the file.

-- page.all selects the numbers and contents of all pages.
SELECT pgno, data FROM sqlite_dbpage;

-- page.read selects the content of page $1.
SELECT data FROM sqlite_dbpage WHERE pgno = $1;

-- page.write replaces the content of page $2 by $1.
UPDATE sqlite_dbpage SET data = $1 WHERE pgno = $2;
