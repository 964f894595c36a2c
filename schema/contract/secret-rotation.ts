import { z } from 'zod'
import { data } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Operators'

export const resealSecrets = operation({
	id: 'resealSecrets',
	method: 'post',
	path: '/v1/admin/secrets/reseal',
	tag,
	summary: 'Reseal stored secrets under the current AUTH_SECRET',
	description:
		'Goes through what is sealed in the database, a page at a time: send `cursor` back until it is null. What is sealed under the current value already is passed over. Harmless to repeat, and to interrupt.',
	auth: 'superadmin',
	body: z.object({
		cursor: z
			.string()
			.regex(/^\d{1,2}\.[\w-]{0,64}$/)
			.nullable()
			.default(null),
	}),
	status: 200,
	response: data(
		z.object({
			resealed: z
				.int()
				.meta({ description: 'Rows of this page that are sealed under the current value now' }),
			lost: z.int().meta({ description: 'Rows that neither AUTH_SECRET nor AUTH_SECRET_PREVIOUS opens' }),
			cursor: z.string().nullable(),
		}),
	),
	errors: ['not_configured'],
})
