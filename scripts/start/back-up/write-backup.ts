import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { deriveBackupKeys, newDataKey, sealChunk } from '../../../edge/operations/backups/format/chunk.ts'
import { ChunkLines } from '../../../edge/operations/backups/format/lines.ts'
import type { Manifest } from '../../../edge/operations/backups/format/manifest.ts'
import { BEFORE_ALL_ROWS } from '../../../edge/operations/backups/format/rowids.ts'
import { signManifest } from '../../../edge/operations/backups/format/signed-manifest.ts'
import { newChunkKey } from '../../../edge/operations/backups/keys.ts'
import { hashSchema } from '../../../edge/operations/backups/run/plan-run.ts'
import { CHUNK_CHARACTERS, readRows } from '../../../edge/operations/backups/run/read-rows.ts'
import { type Schema, sourceStore } from '../../../edge/operations/backups/run/source-store.ts'
import { createD1Binding } from '../../../edge/platform/database/d1-binding.ts'
import { type Db, d1Database, libsqlDatabase } from '../../../edge/platform/database/database.ts'
import { newId } from '../../../edge/platform/database/ids.ts'
import { deriveSecrets } from '../../../edge/platform/tokens/secrets.ts'
import type { Control } from '../../lib/runtime/control.ts'
import { type ArchiveWriter, openArchiveWriter } from './archive-writer.ts'

const PRINT_EVERY = 50

type Options = { secret: string; recipient: string | undefined; print(line: string): void }

/** Backs up a local D1, before requests are served: nobody writes, so no transaction is needed. Returns the path. */
export function backUpLocalD1(
	{ read }: Pick<Control, 'read'>,
	directory: string,
	options: Options,
): Promise<string> {
	const binding = createD1Binding((statements) =>
		read(...statements.map(({ sql, args }) => ({ sql, values: args }))),
	)
	return writeBackup(
		d1Database(binding, () => {}),
		directory,
		options,
	)
}

/** Backs up a libSQL database in one transaction, since other installations may write. Returns the path. */
export async function backUpLibsql(client: Client, directory: string, options: Options): Promise<string> {
	const transaction = await client.transaction('read')
	try {
		const db = libsqlDatabase(transaction as unknown as Client, () => {})
		return await writeBackup(db, directory, options)
	} finally {
		transaction.close()
	}
}

/** Writes to another name first, so that an unfinished file never looks like a backup. */
async function writeBackup(db: Db, directory: string, options: Options): Promise<string> {
	const startedAt = Date.now()
	const id = newId('bkp', startedAt)
	const path = join(directory, `playhouse-${id}.zip`)
	const draft = `${path}.partial`
	await mkdir(directory, { recursive: true, mode: 0o700 })
	// A backup of everybody's data is for its owner alone.
	const file = await open(draft, 'w', 0o600)
	try {
		await writeArchive(db, openArchiveWriter(file, startedAt), { id, startedAt, ...options })
		await file.sync()
		await rename(draft, path)
	} catch (error) {
		await rm(draft, { force: true })
		throw error
	} finally {
		await file.close()
	}
	return path
}

async function writeArchive(
	db: Db,
	archive: ArchiveWriter,
	{ id, startedAt, secret, recipient, print }: Options & { id: string; startedAt: number },
): Promise<void> {
	const dataKey = newDataKey()
	const keys = await deriveBackupKeys(dataKey)
	const chunks: Manifest['chunks'] = []
	const store = async (lines: ChunkLines) => {
		const position = chunks.length
		const { bytes, ...seal } = await sealChunk(keys, { backupId: id, position }, lines.toString())
		const key = newChunkKey(id, position)
		await archive.add(key, bytes)
		chunks.push({ key, ...seal })
		if (chunks.length % PRINT_EVERY === 0) print(`${chunks.length} chunks written`)
	}
	const source = sourceStore(db)
	const schema = await source.readSchema()
	const manifest: Manifest = {
		...{ format: 1, id, reason: 'migration', startedAt, snapshotAt: startedAt, chunks },
		...{ schemaHash: await hashSchema(schema), schema: schema.statements },
		tables: await storeTables(source, schema, store),
		sequences: await source.readSequences(),
	}
	const signed = await signManifest(deriveSecrets(secret), dataKey, manifest, recipient)
	await archive.add('manifest.json', new TextEncoder().encode(JSON.stringify(signed)))
	await archive.end()
}

/** Stores all rows in chunks, and returns how many each table has. */
async function storeTables(
	source: ReturnType<typeof sourceStore>,
	schema: Schema,
	store: (lines: ChunkLines) => Promise<void>,
): Promise<Manifest['tables']> {
	const lastRowids = await source.readLastRowids(schema)
	const tables: Manifest['tables'] = []
	let lines = new ChunkLines()
	for (const listed of schema.tables) {
		const { name, columns } = listed
		const table = { ...listed, lastRowid: lastRowids[name] ?? BEFORE_ALL_ROWS }
		let rows = 0
		for (let after = BEFORE_ALL_ROWS; ; ) {
			const read = await readRows(source, table, after, CHUNK_CHARACTERS - lines.length)
			if (!read) break
			for (const [rowid, ...values] of read.rows)
				lines.addRow({ table: name, columns }, Number(rowid), values)
			rows += read.rows.length
			after = read.last
			if (lines.length < CHUNK_CHARACTERS) continue
			await store(lines)
			lines = new ChunkLines()
		}
		tables.push({ name, columns, rows })
	}
	if (!lines.isEmpty) await store(lines)
	return tables
}
