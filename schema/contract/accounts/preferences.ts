import { z } from 'zod'
import { data } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Auth')

const options = z.object({
	theme: z.enum(['system', 'light', 'dark']),
	language: z
		.string()
		.regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag such as `de` or `pt-BR`')
		.meta({ description: 'A language tag (BCP 47)' }),
	density: z.enum(['comfortable', 'compact']).meta({ description: 'The height of rows in lists' }),
	libraryLayout: z.enum(['table', 'grid']).meta({ description: 'How pages show the asset list' }),
})

export const Preferences = options
	.extend({
		language: options.shape.language
			.nullable()
			.meta({ description: 'A language tag (BCP 47); null for the language of the browser' }),
	})
	.meta({ id: 'Preferences' })
export type Preferences = z.output<typeof Preferences>

export const defaultPreferences: Preferences = {
	theme: 'system',
	language: null,
	density: 'comfortable',
	libraryLayout: 'grid',
}

export const getPreferences = operation({
	id: 'getPreferences',
	method: 'get',
	path: '/v1/auth/me/preferences',
	summary: 'Get the preferences of the signed-in user',
	auth: 'session',
	impersonation: 'read',
	response: data(Preferences),
})

export const updatePreferences = operation({
	id: 'updatePreferences',
	method: 'patch',
	path: '/v1/auth/me/preferences',
	summary: 'Update the preferences of the signed-in user',
	description: '`null` restores the default of a field.',
	auth: 'session',
	audit: 'none: own account',
	body: z
		.object({
			theme: options.shape.theme.nullable(),
			language: options.shape.language.nullable(),
			density: options.shape.density.nullable(),
			libraryLayout: options.shape.libraryLayout.nullable(),
		})
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(Preferences),
})
export type PreferencesPatch = z.output<typeof updatePreferences.body>
