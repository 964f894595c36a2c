import type { Client } from '@libsql/client'
import type { Manifest } from '../../../edge/operations/backups/format/manifest.ts'
import {
	type Compared,
	compareRows,
	nothingCompared,
} from '../../../edge/operations/backups/restore/compare-rows.ts'
import type { TableHashes } from '../../../edge/operations/backups/restore/row-set-hash.ts'
import { sourceStore } from '../../../edge/operations/backups/run/source-store.ts'
import { libsqlDatabase } from '../../../edge/platform/database/database.ts'

/** Throws `DamagedBackupError` unless the database holds exactly the rows of the backup. Returns the number of rows. */
export async function compareWithBackup(
	client: Client,
	manifest: Manifest,
	loaded: TableHashes,
): Promise<number> {
	const source = sourceStore(libsqlDatabase(client, () => {}))
	const schema = await source.readSchema()
	let compared: Compared | null = nothingCompared
	while (compared) compared = await compareRows(source, manifest, schema, loaded, compared)
	return manifest.tables.reduce((total, { rows }) => total + rows, 0)
}
