import { z } from 'zod'
import { createsTableOrIndex } from './schema-sql.ts'

export const BackupReason = z.enum(['daily', 'requested', 'migration'])
export type BackupReason = z.infer<typeof BackupReason>

/** Everything that a restore needs besides the chunks. It is stored last: a backup without a manifest does not exist. */
export const Manifest = z.object({
	format: z.literal(1),
	id: z.string().regex(/^bkp_[0-9a-z]{26}$/),
	reason: BackupReason,
	startedAt: z.int(),
	/** The instant whose state the backup holds. */
	snapshotAt: z.int(),
	/** Identifies the schema, so that backups before and after a migration can be told apart. */
	schemaHash: z.string(),
	/** The statements that create every table and index as they were. */
	schema: z.array(z.string().refine(createsTableOrIndex, 'only tables and indexes are created')),
	tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
	/** The highest id that each table with AUTOINCREMENT has assigned. */
	sequences: z.record(z.string(), z.int()),
	/** In the order in which they are applied: a later row replaces an earlier one. */
	chunks: z.array(
		z.object({ key: z.string(), sha256: z.string(), textSha256: z.string(), sizeBytes: z.int() }),
	),
})
export type Manifest = z.infer<typeof Manifest>
