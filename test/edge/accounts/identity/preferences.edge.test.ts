import { beforeEach, expect, test } from 'vitest'
import {
	defaultPreferences,
	getPreferences,
	updatePreferences,
} from '#schema/contract/accounts/preferences.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const update = (body: object) => world.ask(updatePreferences, { body }, ada)
const get = async (who = ada) => (await world.ask(getPreferences, {}, who)).ok.data

test('preferences have defaults, keep each change and belong to one user', async () => {
	const bo = await world.person()
	expect(await get()).toEqual(defaultPreferences)
	await update({ theme: 'dark', language: 'pt-BR' })
	const changed = { ...defaultPreferences, theme: 'dark', language: 'pt-BR', density: 'compact' }
	expect((await update({ density: 'compact' })).ok.data).toEqual(changed)
	expect(await get()).toEqual(changed)
	expect((await update({ theme: null, language: null, density: null })).ok.data).toEqual(defaultPreferences)
	expect(await get(bo)).toEqual(defaultPreferences)
})

test('preferences keep concurrent changes of different fields', async () => {
	await Promise.all([{ theme: 'light' }, { density: 'compact' }, { libraryLayout: 'table' }].map(update))
	expect(await get()).toEqual({ theme: 'light', language: null, density: 'compact', libraryLayout: 'table' })
})

test('preferences reject unknown fields, unknown values and malformed language tags', async () => {
	for (const body of [{}, { theme: 'blue' }, { color: 'red' }, { language: 'German!' }, { language: '' }])
		expect((await update(body)).status, JSON.stringify(body)).toBe(400)
	expect(await get()).toEqual(defaultPreferences)
})
