import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openPreferences } from '../../../../edge/web/player/preferences.ts'

const KEY = 'playhouse-player'
const DAY = 86_400_000

let stored: Map<string, string>
beforeEach(() => {
	stored = new Map()
	vi.stubGlobal('localStorage', {
		getItem: (key: string) => stored.get(key) ?? null,
		setItem: (key: string, value: string) => void stored.set(key, value),
	})
	vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
})
afterEach(() => {
	vi.unstubAllGlobals()
	vi.useRealTimers()
})

function openPlayed(isAllowed = true) {
	const preferences = openPreferences(() => isAllowed)
	preferences.allowStorage()
	return preferences
}

describe('preferences', () => {
	test('preferences are stored after the viewer has played a video, and not before', () => {
		const preferences = openPreferences(() => true)
		preferences.change({ volume: 0.5 })
		preferences.setPosition('a', 20)
		expect(stored.size).toBe(0)
		expect(preferences.read()).toMatchObject({ volume: 0.5 })
		preferences.allowStorage()
		preferences.change({ muted: true })
		expect(openPlayed().read()).toMatchObject({ volume: 0.5, muted: true })
	})

	test('preferences last as long as the page where storage is forbidden, and are neither read nor stored', () => {
		stored.set(KEY, '{"volume":0.5}')
		const preferences = openPlayed(false)
		preferences.change({ volume: 0.2 })
		expect(preferences.read()).toEqual({ volume: 0.2 })
		expect(stored.get(KEY)).toBe('{"volume":0.5}')
	})

	test('preferences last as long as the page where storage throws', () => {
		const refuse = () => {
			throw new DOMException('denied', 'SecurityError')
		}
		vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse })
		const preferences = openPlayed()
		preferences.change({ volume: 0.2 })
		preferences.setPosition('a', 20)
		expect(preferences.read()).toEqual({ volume: 0.2, positions: { a: 20 } })
		expect(preferences.bandwidth()).toBeNull()
		vi.stubGlobal('localStorage', undefined)
		expect(openPlayed().read()).toEqual({})
	})

	test.each([
		['null'],
		['5'],
		['"text"'],
		['[1]'],
		['{'],
		[
			'{"volume":"loud","muted":"yes","speed":"fast","captions":5,"captionStyle":[],"bandwidth":1,"positions":null}',
		],
		['{"volume":2,"speed":99,"captionStyle":null,"bandwidth":{"value":"x","at":"y"},"positions":{"a":"x"}}'],
		['{"volume":-1,"speed":0,"bandwidth":{"value":null,"at":1e99},"positions":{"a":-5}}'],
	])('preferences ignore what another program or version stored: %s', (text) => {
		stored.set(KEY, text)
		const preferences = openPlayed()
		expect([preferences.read().volume, preferences.read().speed]).toEqual([undefined, undefined])
		expect([preferences.position('a'), preferences.bandwidth()]).toEqual([null, null])
		preferences.setPosition('a', 30)
		expect(preferences.position('a')).toBe(30)
	})

	test('preferences have the right types, whatever is stored', () => {
		const names = [
			'volume',
			'muted',
			'speed',
			'captions',
			'captionStyle',
			'bandwidth',
			'positions',
			'__proto__',
		]
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (junk) => {
				stored.set(KEY, JSON.stringify(junk))
				const { volume, muted, speed, captions, captionStyle } = openPlayed().read()
				if (volume !== undefined) expect(volume >= 0 && volume <= 1).toBe(true)
				if (speed !== undefined) expect(speed >= 0.25 && speed <= 2).toBe(true)
				expect(['boolean', 'undefined']).toContain(typeof muted)
				if (captions !== null) expect(['string', 'undefined']).toContain(typeof captions)
				if (captionStyle !== undefined) expect(captionStyle).toBeTypeOf('object')
				const bandwidth = openPlayed().bandwidth()
				if (bandwidth !== null) expect(Number.isFinite(bandwidth)).toBe(true)
			}),
		)
	})

	test('preferences remember the latest 50 positions', () => {
		const preferences = openPlayed()
		for (let at = 0; at < 60; at++) preferences.setPosition(`v${at}`, at + 10)
		preferences.setPosition('v15', 99)
		expect(Object.keys(preferences.read().positions ?? {})).toHaveLength(50)
		expect(['v9', 'v10', 'v15', 'v59'].map(preferences.position)).toEqual([null, 20, 99, 69])
		preferences.setPosition('v59', null)
		expect(preferences.position('v59')).toBeNull()
	})

	test('preferences use a stored estimate of the bandwidth for a week, within limits', () => {
		const preferences = openPlayed()
		const estimate = (value: number) => preferences.change({ bandwidth: { value, at: Date.now() } })
		estimate(5_000_000)
		expect(preferences.bandwidth()).toBe(5_000_000)
		vi.setSystemTime(Date.now() + 7 * DAY)
		expect(preferences.bandwidth()).toBe(5_000_000)
		vi.setSystemTime(Date.now() + 1)
		expect(preferences.bandwidth()).toBeNull()
		estimate(1)
		expect(preferences.bandwidth()).toBe(300_000)
		estimate(1e12)
		expect(preferences.bandwidth()).toBe(20_000_000)
	})
})
