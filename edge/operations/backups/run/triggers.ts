/** The prefix of all backup triggers, before the id of the backup. The schema has no other triggers. */
const PREFIX = 'playhouse_backup_'

const events = {
	insert: 'select new.rowid',
	// The key of a row may change.
	update: 'select old.rowid union select new.rowid',
	delete: 'select old.rowid',
} as const

export const TRIGGERS_PER_TABLE = Object.keys(events).length

export const isBackupTrigger = (name: string): boolean => name.startsWith(PREFIX)
export const hasBackupId = (backupId: string, name: string): boolean =>
	name.startsWith(`${PREFIX}${backupId}_`)

/** Returns the statements that record every change of these tables. They write to `backup_changes` and nothing else. */
export const createTriggersStatements = (backupId: string, tables: readonly string[]): string[] =>
	tables.flatMap((table) =>
		Object.entries(events).map(([event, rowids]) => {
			if (!/^\w+$/.test(table))
				throw new Error(`the name of the table ${table} can't be part of a trigger name`)
			return `create trigger if not exists "${PREFIX}${backupId}_${table}_${event}" after ${event} on "${table}" begin insert into backup_changes (source, row_id) select '${table}', changed.* from (${rowids}) as changed; end`
		}),
	)
