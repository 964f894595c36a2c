import { describe, expect, test } from 'vitest'
import { writeStoryboard } from '../../../../../edge/video/transcoding/plan/storyboard.ts'
import { findTile, parseStoryboard } from '../../../../../edge/web/player/controls/storyboard.ts'

const base = new URL('https://play.example/media/id/~a.b/job/storyboard.vtt')

const written = writeStoryboard(
	{ everyFrames: 50, tileWidth: 256, tileHeight: 144, columns: 2 },
	{ num: 25, den: 1 },
	[
		{ uri: 'tsk_1-1/sheet.jpg', tiles: 3, firstFrame: 0, endFrame: 150 },
		{ uri: 'tsk_2-1/sheet.jpg', tiles: 1, firstFrame: 90_050, endFrame: 90_060 },
	],
)

describe('a storyboard', () => {
	test('a written storyboard is parsed with the same tiles', () => {
		const tiles = parseStoryboard(written, base)
		const size = { width: 256, height: 144 }
		const first = 'https://play.example/media/id/~a.b/job/tsk_1-1/sheet.jpg'
		expect(tiles).toEqual([
			{ fromSec: 0, url: first, x: 0, y: 0, ...size },
			{ fromSec: 2, url: first, x: 256, y: 0, ...size },
			{ fromSec: 4, url: first, x: 0, y: 144, ...size },
			{ fromSec: 3_602, url: first.replace('tsk_1', 'tsk_2'), x: 0, y: 0, ...size },
		])
	})

	test('a storyboard shows the tile of a position, and the first one before it begins', () => {
		const tiles = parseStoryboard(written, base)
		const at = (sec: number) => tiles.indexOf(findTile(tiles, sec) as (typeof tiles)[number])
		expect([0, 1.99, 2, 3.99, 4, 3_601, 3_602, 99_999].map(at)).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
		expect(findTile(tiles.slice(1), 0)).toBe(tiles[1])
		expect(findTile([], 0)).toBeUndefined()
	})

	test('a storyboard has no URL that could leave a CSS string, and skips cues without images', () => {
		const cue = (uri: string) => `00:01.000 --> 00:02.000\n${uri}#xywh=0,0,160,90\n`
		const [tile] = parseStoryboard(`WEBVTT\n\n${cue('a".jpg);x:url("b.jpg')}`, base)
		expect(tile?.url).toBe('https://play.example/media/id/~a.b/job/a%22.jpg);x:url(%22b.jpg')
		for (const text of ['', 'WEBVTT\n', 'WEBVTT\n\n00:00.000 --> 00:01.000\ntext\n', cue('https://[')])
			expect(parseStoryboard(text, base)).toEqual([])
	})
})
