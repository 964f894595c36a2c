import { beforeEach, describe, expect, test } from 'vitest'
import { getConfig, healthLive, healthReady } from '#schema/contract/operations/health.ts'
import { DAY } from '../../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../../support/edge/world.ts'
import { machine } from '../../../video/fleet/fleet.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

describe('health', () => {
	test('the health endpoints live and ready return ok', async () => {
		expect((await world.ask(healthLive, {})).ok).toEqual({ ok: true })
		expect((await world.ask(healthReady, {})).ok).toEqual({ ok: true })
	})

	test('the health endpoint live runs no database query', async () => {
		expect((await world.ask(healthLive, {})).statements).toEqual([])
		expect((await world.ask(healthReady, {})).statements).toEqual(['select 1'])
	})

	test('the health endpoint ready returns 503 without a reason when the database fails', async () => {
		breakDatabase(() => Promise.reject(new Error('disk is full')))
		const { status, code, error } = await world.ask(healthReady, {})
		expect({ status, code, error }).toEqual({
			status: 503,
			code: 'unavailable',
			error: 'the database does not respond; try again',
		})
		expect((await world.ask(healthLive, {})).status).toBe(200)
	})

	test('the health endpoint ready returns 503 when the database hangs', async () => {
		breakDatabase(() => new Promise(() => {}))
		expect((await world.ask(healthReady, {})).status).toBe(503)
	})
})

/** Replaces every query method of the driver. */
function breakDatabase(fail: () => Promise<never>): void {
	const statement = { bind: () => statement, all: fail, raw: fail, run: fail, first: fail }
	const broken = { ...world.bindings, DB: { prepare: () => statement, batch: fail } }
	world.set(Object.assign(broken, { LIBSQL_URL: '' }) as unknown as Record<string, string>)
}

describe('the public config', () => {
	const read = async () => (await world.ask(getConfig, {})).ok.data

	test('the public config describes a new installation', async () => {
		expect(await read()).toMatchObject({
			aiAvailable: false,
			registration: { enabled: true, allowedDomains: [] },
			uploads: {
				resumableMaxBytes: 10_737_418_240,
				directMaxBytes: 5_368_709_120,
				recommendedChunkBytes: 52_428_800,
			},
			defaultTier: 'self-hosted',
			limits: { apiKeys: null },
			features: { signing: true, fleet: true, s3: false, ai: false },
		})
	})

	test('the public config reports AI as available while a machine has a speech engine', async () => {
		const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
		await machine(world, { speech })
		expect(await read()).toMatchObject({ aiAvailable: true, features: { ai: true } })
		world.pass(2 * DAY)
		expect(await read()).toMatchObject({ aiAvailable: false, features: { ai: false } })
	})

	test('the public config is readable while the database hangs', async () => {
		breakDatabase(() => new Promise(() => {}))
		expect(await read()).toMatchObject({ aiAvailable: false, features: { fleet: true } })
	})

	test('the public config reflects the configuration without secrets', async () => {
		world.set({
			AUTH_SECRET: '',
			REGISTRATION_ENABLED: 'false',
			REGISTRATION_ALLOWED_DOMAINS: 'example.org, example.com',
			DEFAULT_TIER: 'free',
			SMTP_URL: 'smtp://mail.test:587',
			S3_ENDPOINT: 'https://s3.test',
			S3_ACCESS_KEY_ID: 'id',
			S3_SECRET_ACCESS_KEY: 'a very secret key',
		})
		const config = await read()
		expect(config).toMatchObject({
			registration: { enabled: false, allowedDomains: ['example.org', 'example.com'] },
			defaultTier: 'free',
			limits: { apiKeys: 2 },
			features: { signing: false, fleet: false, mail: true, s3: true },
		})
		expect(JSON.stringify(config)).not.toContain('secret key')
	})

	test('the public config is readable from any origin', async () => {
		const { headers } = await world.ask(getConfig, {}, { headers: { origin: 'https://elsewhere.test' } })
		expect(headers.get('access-control-allow-origin')).toBe('*')
	})
})
