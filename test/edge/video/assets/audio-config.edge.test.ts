/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { type AudioConfig, standardAudioConfig, updateAudioConfig } from '#schema/contract/video/audio.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
let assetId: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	assetId = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id
})

const change = (body: object, who = ada) =>
	world.ask(updateAudioConfig, { params: { assetId }, body: body as Partial<AudioConfig> }, who)
const opus = { codec: 'opus', bitrateKbps: 96, sampleRate: 48_000, channels: 2 }
const speech = { codec: 'aac', bitrateKbps: 32, sampleRate: 8_000, channels: 1 }

test('audio options have defaults until single fields are changed', async () => {
	const config = async () => (await world.ask(getAsset, { params: { assetId } }, ada)).ok.data.audioConfig
	expect(await config()).toEqual(standardAudioConfig)
	const first = { ...standardAudioConfig, playback: { ...opus, normalize: false } }
	expect((await change({ playback: opus })).ok.data).toEqual(first)
	const second = { playback: { ...opus, normalize: true }, ai: speech }
	expect((await change({ ai: speech })).ok.data).toEqual({ ...first, ai: speech })
	expect((await change({ playback: { ...opus, normalize: true } })).ok.data).toEqual(second)
	expect(await config()).toEqual(second)
})

test('audio options that no encoder supports are rejected', async () => {
	for (const part of [
		{ ...opus, codec: 'mp3' },
		{ ...opus, bitrateKbps: 15 },
		{ ...opus, bitrateKbps: 513 },
		{ ...opus, bitrateKbps: 64.5 },
		{ ...opus, sampleRate: 44_100 },
		{ ...opus, sampleRate: 47_999 },
		{ ...opus, channels: 0 },
		{ ...opus, channels: 3 },
		{ codec: 'aac' },
		null,
	])
		for (const body of [{ playback: part }, { ai: part }])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
	expect((await change({})).status).toBe(400)
	for (const body of [{ ai: { ...speech, normalize: true } }, { playback: { ...opus, normalize: 'yes' } }])
		expect((await change(body)).status, JSON.stringify(body)).toBe(400)
	expect((await world.ask(getAsset, { params: { assetId } }, ada)).ok.data.audioConfig.playback).toEqual(
		standardAudioConfig.playback,
	)
})

test('audio options for an asset of another organization are rejected', async () => {
	expect((await change({ playback: opus }, await world.person())).status).toBe(404)
})
