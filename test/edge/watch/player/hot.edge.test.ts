/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
let assetId: string
let playbackId: string
/** Calls of the media bucket during the last request. */
const reads: string[] = []

const build = {
	scripts: { embed: 'embed-AAAAAAAA.js', watch: 'watch-AAAAAAAA.js' },
	styles: { embed: '', watch: '', audio: '' },
}
const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",DEFAULT=YES,URI="a0.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,AUDIO="audio"
h264-360p.m3u8
`
const playlist = (folder: string) => `#EXTM3U
#EXT-X-MAP:URI="${folder}/init.mp4"
#EXTINF:4,
${folder}/1.m4s
#EXT-X-ENDLIST
`

beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	;({ id: assetId, playbackId } = await makeReady(world, ada, 'Film', { width: 640, height: 360 }))
	const files = {
		'master.m3u8': master,
		'a0.m3u8': playlist('a0'),
		'h264-360p.m3u8': playlist('h264-360p'),
		'a0/init.mp4': 'init',
		'h264-360p/init.mp4': 'init',
	}
	for (const [name, text] of Object.entries(files))
		await env.MEDIA.put(`media/${playbackId}/v1/${name}`, text)
	const media = new Proxy(env.MEDIA, {
		get(bucket, name: keyof R2Bucket) {
			const value = bucket[name]
			if (typeof value !== 'function') return value
			return (...args: unknown[]) => {
				reads.push(name)
				return (value as (...args: unknown[]) => unknown).apply(bucket, args)
			}
		},
	})
	const set = world.set as (bindings: Record<string, unknown>) => void
	set({ MEDIA: media, ASSETS: { fetch: async () => Response.json(build) } })
})

const openPage = async (kind: 'embed' | 'watch', query = '') => {
	world.statements.length = 0
	reads.length = 0
	const response = await world.fetch(new Request(`https://edge.test/${kind}/${playbackId}${query}`))
	expect(response.status).toBe(200)
	return { text: await response.text(), statements: world.statements.length, reads: reads.length }
}

test('the second request for an embed page needs no SQL and no read of the bucket', async () => {
	const first = await openPage('embed')
	expect(first.text).toContain('h264-360p/1.m4s')
	expect([first.statements, first.reads]).toEqual([1, 5])
	const second = await openPage('embed', '?t=3&color=ff0000&lang=de')
	expect(second.text).toContain('h264-360p/1.m4s')
	expect([second.statements, second.reads]).toEqual([0, 0])
})

test('the second request for a watch page with its transcript needs no SQL and no read of the bucket', async () => {
	const transcript = { segments: [{ start: 1, end: 2, text: 'Welcome aboard' }] }
	await world.ask(replaceTranscript, { params: { assetId }, body: { transcript } }, ada)
	const first = await openPage('watch')
	expect(first.text).toContain('Welcome aboard')
	expect([first.statements, first.reads]).toEqual([1, 6])
	const second = await openPage('watch', '?lang=de')
	expect(second.text).toContain('Welcome aboard')
	expect([second.statements, second.reads]).toEqual([0, 0])
})
