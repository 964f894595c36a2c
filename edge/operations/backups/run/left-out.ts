/**
 * Tables of ours whose rows are in no backup, with the reason. Every other table of the database is, including tables
 * that a later version of the Worker has added.
 */
export const leftOut: Readonly<Record<string, string>> = {
	backups: 'backups are found again by their manifests in the vault',
	backup_chunks: 'describes the backup that is running',
	backup_changes: 'describes the backup that is running',
	installation_lease: 'says which process uses the database (scripts/start/database-lease.ts)',
}
