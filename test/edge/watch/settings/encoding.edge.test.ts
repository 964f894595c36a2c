/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import { getEncodingSettings, updateEncodingSettings } from '#schema/contract/watch/settings/settings.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const change = (codecs: string[], who: Parameters<World['ask']>[2] = ada) =>
	world.ask(updateEncodingSettings, { body: { codecs: codecs as VideoCodec[] } }, who)
const read = async (who: Parameters<World['ask']>[2] = ada) =>
	(await world.ask(getEncodingSettings, {}, who)).ok.data

test('an organization encodes in H.264 by default and stores its codecs in a fixed order', async () => {
	expect(await read()).toEqual({ codecs: ['h264'] })
	expect((await change(['av1', 'h264'])).ok.data).toEqual({ codecs: ['h264', 'av1'] })
	expect(await read()).toEqual({ codecs: ['h264', 'av1'] })
	expect((await change(['h264'])).ok.data).toEqual({ codecs: ['h264'] })
	const bob = await world.person()
	expect(await read(bob)).toEqual({ codecs: ['h264'] })
})

test.each<[what: string, body: unknown]>([
	['no H.264', { codecs: ['hevc'] }],
	['nothing', { codecs: [] }],
	['a codec twice', { codecs: ['h264', 'av1', 'av1'] }],
	['an unknown codec', { codecs: ['h264', 'vp9'] }],
	['no change', {}],
])('the encoding settings reject %s', async (_, body) => {
	const { status } = await world.ask(updateEncodingSettings, { body: body as never }, ada)
	expect(status).toBe(400)
	expect(await read()).toEqual({ codecs: ['h264'] })
})

test('an API key with the scope read cannot change the settings', async () => {
	const params = { orgId: ada.orgId }
	const body = { name: 'reader', scopes: ['read' as const] }
	const { key } = (await world.ask(createApiKey, { params, body }, ada)).ok.data
	expect(await read({ key })).toEqual({ codecs: ['h264'] })
	expect((await change(['h264', 'av1'], { key })).status).toBe(403)
})
