import { describe, expect, test } from 'vitest'
import { buildEmbedUrl, buildWatchUrl } from '../../../../../edge/video/assets/playable/player-pages.ts'
import { selectLinkParameters } from '../../../../../edge/watch/player/sharing/link-parameters.ts'
import { readPlayerUrl } from '../../../../../edge/watch/player/sharing/player-links.ts'

const ID = 'Abcdefghijklmnopqrstu1'
const bases = ['https://watch.example.org', 'https://video.example.org/tube', 'http://127.0.0.1:8787']

describe('the address of a player', () => {
	test.each([
		`https://watch.example.org/watch/${ID}`,
		`https://watch.example.org/embed/${ID}/`,
		`http://watch.example.org/embed/${ID}`,
		`https://WATCH.example.org/watch/${ID}?t=5#comments`,
		`https://video.example.org/tube/watch/${ID}`,
		`http://127.0.0.1:8787/embed/${ID}`,
		buildWatchUrl('https://watch.example.org', ID, { title: 'A & B' }),
		buildEmbedUrl('https://video.example.org/tube', ID),
	])('the address of a player is recognized: %s', (url) => {
		expect(readPlayerUrl(url, bases)?.playbackId).toBe(ID)
	})

	test.each([
		'nonsense',
		`https://elsewhere.example/watch/${ID}`,
		`https://watch.example.org.evil.example/watch/${ID}`,
		`https://watch.example.org:8443/watch/${ID}`,
		`https://video.example.org/watch/${ID}`,
		`https://video.example.org/tubewatch/${ID}`,
		`https://watch.example.org/watch/${ID}x`,
		`https://watch.example.org/watch/${ID}/more`,
		`https://watch.example.org/media/${ID}`,
		`https://watch.example.org/watch/`,
		`https://watch.example.org/watch/..%2F${ID}`,
	])('the address of another page is not recognized as a player: %s', (url) => {
		expect(readPlayerUrl(url, bases)).toBeNull()
	})
})

describe('the parameters of a link', () => {
	const keptOf = (query: string) => selectLinkParameters(new URLSearchParams(query))

	test('a link keeps the valid parameters of the player, without the token, and never a preview', () => {
		expect(
			keptOf(
				'color=%23FF0000&title=My+film&t=1m33s&end=100&autoplay&muted=1&loop=true&controls=0&cc=de&lang=fr&speed=1.5&preload=none&keys=0&token=secret&preview&utm_source=x',
			),
		).toEqual({
			...{
				color: '#FF0000',
				title: 'My film',
				t: '1m33s',
				end: '100',
				autoplay: '',
				muted: '1',
				loop: 'true',
			},
			...{ controls: '0', cc: 'de', lang: 'fr', speed: '1.5', preload: 'none', keys: '0' },
		})
	})

	test('a link names parameters as this player does, even if an alias was used', () => {
		expect(keptOf('start-time=5&accent-color=00ff00')).toEqual({ t: '5', color: '00ff00' })
		expect(keptOf('start-time=5&t=7')).toEqual({ t: '7' })
	})

	test.each([
		...[
			'color=red',
			'color=12345',
			'title=',
			'title=%00',
			't=',
			't=soon',
			'end=-1',
			'autoplay=maybe',
			'cc=../x',
		],
		...['lang=%22%3E', 'speed=0', 'speed=9', 'speed=', 'speed=x', 'preload=all', 'keys=2'],
	])('a link drops invalid parameters: %s', (query) => {
		expect(keptOf(query)).toEqual({})
	})
})
