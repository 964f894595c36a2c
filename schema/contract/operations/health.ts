import { z } from 'zod'
import { TierLimits, TierName } from '../accounts/tiers.ts'
import { data } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Health and config')

const Health = z.object({ ok: z.boolean() }).meta({ id: 'Health' })

export const healthLive = operation({
	id: 'healthLive',
	sdk: 'health.checkLive',
	method: 'get',
	path: '/health/live',
	summary: 'Check that the server responds',
	auth: 'public',
	anyOrigin: true,
	response: Health,
})

export const healthReady = operation({
	id: 'healthReady',
	sdk: 'health.checkReady',
	method: 'get',
	path: '/health/ready',
	summary: 'Check that the database responds',
	description: 'Returns 503 if the database does not respond within two seconds.',
	auth: 'public',
	anyOrigin: true,
	response: Health,
	errors: ['unavailable'],
})

export const PublicConfig = z
	.object({
		aiAvailable: z.boolean().meta({
			description: 'Whether videos are transcribed: a machine with a speech engine worked within a day',
		}),
		registration: z.object({ enabled: z.boolean(), allowedDomains: z.array(z.string()) }),
		uploads: z.object({
			resumableMaxBytes: z.int(),
			directMaxBytes: z.int(),
			recommendedChunkBytes: z.int(),
		}),
		defaultTier: TierName,
		limits: TierLimits,
		features: z
			.record(z.string(), z.boolean())
			.meta({ description: 'Optional features and whether they are configured' }),
	})
	.meta({ id: 'PublicConfig' })

export const getConfig = operation({
	id: 'getConfig',
	sdk: 'config.get',
	method: 'get',
	path: '/v1/config',
	summary: 'Get the features, registration rules and limits of this installation',
	auth: 'public',
	anyOrigin: true,
	response: data(PublicConfig),
})
