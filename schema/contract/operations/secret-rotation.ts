import { z } from 'zod'
import { data } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Operators')

export const resealSecrets = operation({
	id: 'resealSecrets',
	method: 'post',
	path: '/v1/admin/secrets/reseal',
	summary: 'Encrypt stored secrets again under the current AUTH_SECRET',
	description:
		'Handles one page of the sealed values in the database, and of the manifests of backups after them; send `cursor` back until it is null. Skips values that are already sealed under the current secret. Safe to repeat and to interrupt.',
	auth: 'superadmin',
	audit: 'secrets.resealed',
	body: z.object({
		cursor: z
			.string()
			.regex(/^\d{1,2}\.[\w-]{0,64}$/)
			.nullable()
			.default(null),
	}),
	response: data(
		z.object({
			resealed: z.int().meta({
				description: 'Rows and backups of this page that were sealed again under the current secret',
			}),
			lost: z.int().meta({
				description: 'Rows and backups that neither AUTH_SECRET nor AUTH_SECRET_PREVIOUS can decrypt',
			}),
			cursor: z.string().nullable(),
		}),
	),
	errors: ['not_configured'],
})
