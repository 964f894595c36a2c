import type { Backup } from '#schema/contract/operations/installation/backups.ts'
import { iso, isoOrNull } from '../../platform/clock.ts'
import type { BackupRow } from './store.ts'

export const viewBackup = (row: BackupRow): Backup => ({
	id: row.id,
	reason: row.reason,
	state: row.state,
	startedAt: iso(row.startedAt),
	finishedAt: isoOrNull(row.finishedAt),
	snapshotAt: isoOrNull(row.snapshotAt),
	sizeBytes: row.sizeBytes,
	tables: row.tables,
	rows: row.rows,
	error: row.error,
	drilledAt: isoOrNull(row.drilledAt),
	drillError: row.drillError,
	verifiedAt: isoOrNull(row.verifiedAt),
	restoreSeconds: row.restoreSeconds,
})
