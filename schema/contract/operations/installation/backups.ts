import { z } from 'zod'
import { BackupId, data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'

const operation = describeOperations('Operators')

export const Backup = z
	.object({
		id: BackupId,
		reason: z.enum(['daily', 'requested', 'migration']),
		state: z.enum(['running', 'completed', 'failed']),
		startedAt: Timestamp,
		finishedAt: Timestamp.nullable(),
		snapshotAt: Timestamp.nullable().meta({ description: 'The instant whose state the backup holds' }),
		sizeBytes: z.int().nullable(),
		tables: z.int().nullable(),
		rows: z.int().nullable(),
		error: z.string().nullable(),
		drilledAt: Timestamp.nullable().meta({ description: 'When the last drill ended' }),
		drillError: z.string().nullable().meta({
			description: 'Why the last drill failed; null if it succeeded',
		}),
		verifiedAt: Timestamp.nullable().meta({ description: 'When a drill last succeeded' }),
		restoreSeconds: z.int().nullable().meta({
			description:
				'How long its restore took. Null with `verifiedAt` if only the recipient can read the backup: then the hashes of its chunks were checked, and nothing was restored.',
		}),
	})
	.meta({ id: 'Backup' })
export type Backup = z.infer<typeof Backup>

const BackupParams = z.object({ backupId: BackupId })

export const listBackups = operation({
	id: 'listBackups',
	method: 'get',
	path: '/v1/backups',
	summary: 'List backups of the database, newest first',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	response: dataPage(Backup),
})

export const runBackup = operation({
	id: 'runBackup',
	method: 'post',
	path: '/v1/backups/run',
	summary: 'Start a backup of the database',
	description: 'One runs at a time. Videos are not part of it.',
	auth: 'superadmin',
	audit: 'backup.started',
	body: z.object({
		reason: z.enum(['requested', 'migration']).default('requested').meta({
			description: '`migration`: kept as the last backup of its schema',
		}),
	}),
	bodyOptional: true,
	status: 202,
	response: data(Backup),
	errors: ['conflict', 'not_configured'],
})

export const verifyBackup = operation({
	id: 'verifyBackup',
	method: 'post',
	path: '/v1/backups/{backupId}/verify',
	summary: 'Start a drill of a backup',
	description:
		'Restores the backup into a scratch database and compares both. The list of backups shows the result. One drill runs at a time.',
	auth: 'superadmin',
	audit: 'backup.drill_started',
	params: BackupParams,
	status: 202,
	response: data(Backup),
	errors: ['conflict', 'not_configured'],
})

export const createBackupDownload = operation({
	id: 'createBackupDownload',
	method: 'get',
	path: '/v1/backups/{backupId}/download',
	summary: 'Get the download URL of a backup',
	description:
		'The file is a zip of encrypted parts, which `npm run operate -- restore` reads. Each call is audited.',
	auth: 'superadmin',
	audit: 'backup.downloaded',
	recentProof: true,
	params: BackupParams,
	response: data(
		z.object({
			downloadUrl: z.string().meta({ description: 'Valid for 15 minutes' }),
			expiresAt: Timestamp,
			filename: z.string(),
		}),
	),
	errors: ['conflict', 'not_configured'],
})

export const getBackupArchive = operation({
	id: 'getBackupArchive',
	method: 'get',
	path: '/v1/backups/{backupId}/archive',
	summary: 'Download a backup as a zip',
	description: 'The URL comes from `GET /v1/backups/{backupId}/download`.',
	auth: 'public',
	params: BackupParams,
	query: z.object({ token: z.string().max(4_096) }),
	answersWith: 'application/zip',
	errors: ['forbidden', 'not_found', 'conflict', 'not_configured'],
})

export const deleteBackup = operation({
	id: 'deleteBackup',
	method: 'delete',
	path: '/v1/backups/{backupId}',
	summary: 'Delete a backup',
	description: 'A backup that is running is ended, and leaves nothing.',
	auth: 'superadmin',
	audit: 'backup.deleted',
	recentProof: true,
	params: BackupParams,
	response: data(z.object({ id: BackupId, deleted: z.literal(true) })),
})
