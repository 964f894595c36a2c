import { expect, test } from 'vitest'
import { createsTableOrIndex } from '../../../../edge/operations/backups/format/schema-sql.ts'

test.each([
	'CREATE TABLE a (id integer)',
	'create table `a b` (id integer)',
	'CREATE TABLE größe ("a""b" text)',
	'CREATE TABLE "a""b" (a)',
	'CREATE TABLE "a" (id integer default \'x;y\', "b;c" text, [d;e] text) -- a comment; with a semicolon',
	'CREATE INDEX `a_b` ON `a` (`b`)',
	"CREATE UNIQUE INDEX a_b ON a (b) where b <> ';'",
])('a restore runs %s', (sql) => expect(createsTableOrIndex(sql)).toBe(true))

test.each([
	"attach database '/tmp/other.db' as x",
	'create  table x.t(a)',
	'create table x.t(a)',
	'create table "x"."t" (a)',
	'create table t as select * from users',
	'create virtual table t using csv(filename="/etc/passwd")',
	'create temp table t (a)',
	'create view v as select 1',
	'create trigger t after insert on users begin delete from users; end',
	"create table t (a); attach database '/tmp/other.db' as x",
	// Within a name in brackets, an apostrophe begins no string.
	"create table t ([a'b] text); attach database '/tmp/o.db' as x; select ']'",
	"create table t (a) /* ' */; attach database '/tmp/o.db' as x; --'",
	"create table t (a check ($a('))); attach database '/tmp/o.db' as x; --'",
	'create unique index x.i on t (a)',
	'insert into users values (1)',
	'pragma writable_schema = 1',
	'',
])('a restore refuses %s', (sql) => expect(createsTableOrIndex(sql)).toBe(false))
