import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OEmbed } from '#schema/contract/watch/oembed.ts'
import { viewOEmbed } from '../../../../../edge/watch/player/sharing/oembed.ts'
import { hostileText } from './hostile-text.ts'

const ID = 'Abcdefghijklmnopqrstu1'
const base = 'https://watch.example.org'
const picture = { url: `${base}/v1/playback/${ID}/thumbnail?v=1`, size: { width: 720, height: 1280 } }
const view = {
	base,
	row: { playbackId: ID, title: 'Film', width: 1080, height: 1920 },
	parameters: {},
	picture,
	maximum: {},
}

describe('the oEmbed response', () => {
	test('the oEmbed response has the true aspect ratio of a portrait video, and its thumbnail', () => {
		expect(viewOEmbed(view)).toEqual({
			type: 'video',
			version: '1.0',
			provider_name: 'Playhouse',
			provider_url: base,
			title: 'Film',
			html: expect.stringContaining('aspect-ratio:1080/1920;width:100%;height:auto;'),
			width: 720,
			height: 1280,
			thumbnail_url: picture.url,
			thumbnail_width: 720,
			thumbnail_height: 1280,
			cache_age: 3_600,
		})
	})

	test.each([{ width: 360 }, { height: 640 }, { width: 360, height: 9_999 }, { width: 9_999, height: 640 }])(
		'the oEmbed response keeps the ratio within %j, and drops the larger thumbnail',
		(maximum) => {
			const embed = viewOEmbed({ ...view, maximum })
			expect([embed.width, embed.height]).toEqual([360, 640])
			expect(embed.html).toContain('max-width:360px')
			expect(embed).not.toHaveProperty('thumbnail_url')
			expect(embed).not.toHaveProperty('thumbnail_width')
		},
	)

	test('the oEmbed response for audio has the same height at every width', () => {
		const audio = { ...view, row: { ...view.row, width: null, height: null }, picture: null }
		expect(viewOEmbed(audio)).toMatchObject({ width: 640, height: 180 })
		const narrow = viewOEmbed({ ...audio, maximum: { width: 320 } })
		expect([narrow.width, narrow.height]).toEqual([320, 180])
		expect(narrow.html).toContain('style="width:100%;max-width:320px;height:180px;border:0"')
	})

	test('the oEmbed response has no thumbnail of unknown size, as the specification requires one', () => {
		expect(viewOEmbed({ ...view, picture: { ...picture, size: null } })).not.toHaveProperty('thumbnail_url')
		expect(viewOEmbed({ ...view, picture: null })).not.toHaveProperty('thumbnail_url')
	})

	test('the oEmbed response keeps the parameters of the player in the address of the frame', () => {
		const { html } = viewOEmbed({ ...view, parameters: { t: '5', title: '"A" & <b>' } })
		expect(html).toContain(`src="${base}/embed/${ID}?t=5&amp;title=%22A%22+%26+%3Cb%3E"`)
	})

	test('the oEmbed response fits its contract for every size and every box', () => {
		const side = fc.integer({ min: 1, max: 16_384 })
		const box = fc.record({ width: side, height: side }, { requiredKeys: [] })
		fc.assert(
			fc.property(side, side, box, hostileText, (width, height, maximum, title) => {
				const embed = viewOEmbed({ ...view, row: { ...view.row, width, height, title }, maximum })
				expect(OEmbed.parse(embed)).toEqual(embed)
				for (const [side, limit] of [
					[embed.width, maximum.width],
					[embed.height, maximum.height],
					[embed.thumbnail_width, maximum.width],
					[embed.thumbnail_height, maximum.height],
				])
					expect(side ?? 0).toBeLessThanOrEqual(limit ?? Infinity)
			}),
		)
	})
})
