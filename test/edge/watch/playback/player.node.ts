import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowser } from '../../../support/shared/chromium.ts'

/** The result of playing a video to its end. `failure` is the error of hls.js or the video element, or null. */
export type Played = {
	failure: string | null
	endedAt: number
	duration: number
	/** The time ranges that were played. */
	ranges: [from: number, to: number][]
	frames: number
	width: number
	height: number
	/** Responses from the origin of the manifest. */
	responses: { path: string; status: number; redirected: boolean }[]
}

type Options = { rate?: number; screenshot?: string }

/** Time without progress after which playback counts as stalled. */
const STALLED_MS = 90_000

const html = `<!doctype html><title>Player</title><style>body{margin:0;background:#333}video{max-width:100vw;max-height:100vh}</style>
<script src="/hls.js"></script><video muted></video><script>
	const video = document.querySelector('video')
	const seen = (failure) => ({
		failure, endedAt: video.currentTime, duration: video.duration,
		ranges: Array.from({ length: video.played.length }, (_, i) => [video.played.start(i), video.played.end(i)]),
		frames: video.getVideoPlaybackQuality().totalVideoFrames, width: video.videoWidth, height: video.videoHeight,
	})
	const play = (url, rate) => new Promise((resolve) => {
		const hls = new Hls()
		hls.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && resolve(seen(details)))
		video.onended = () => resolve(seen(null))
		video.onerror = () => resolve(seen(video.error.message))
		hls.on(Hls.Events.MANIFEST_PARSED, () => { video.playbackRate = rate })
		let [at, since] = [0, Date.now()]
		setInterval(() => {
			if (video.currentTime !== at) [at, since] = [video.currentTime, Date.now()]
			else if (Date.now() - since > ${STALLED_MS}) resolve(seen('stalled at ' + at))
		}, 1000)
		hls.loadSource(url)
		hls.attachMedia(video)
		video.defaultPlaybackRate = rate
		video.play()
	})
</script>`

/** Opens pages with hls.js on another origin than the videos. */
export async function openPlayer() {
	const script = await readFile(new URL(import.meta.resolve('hls.js/dist/hls.min.js')))
	const site = createServer(({ url }, response) =>
		url === '/hls.js'
			? response.setHeader('content-type', 'text/javascript').end(script)
			: response.setHeader('content-type', 'text/html').end(html),
	).listen(0, '127.0.0.1')
	await once(site, 'listening')
	const browser = await openBrowser()
	const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
	return {
		browser,

		/** Plays to the end. `screenshot` is the path of a screenshot taken after half a second. */
		async play(manifestUrl: string, { rate = 1, screenshot }: Options = {}): Promise<Played> {
			const { origin: from } = new URL(manifestUrl)
			const page = await browser.newPage()
			const responses: Played['responses'] = []
			page.on('response', (response) => {
				const { origin, pathname } = new URL(response.url())
				if (origin === from)
					responses.push({
						path: pathname,
						status: response.status(),
						redirected: response.request().redirectedFrom() !== null,
					})
			})
			await page.goto(siteUrl)
			const playing = page.evaluate<Omit<Played, 'responses'>>(
				`play(${JSON.stringify(manifestUrl)}, ${rate})`,
			)
			if (screenshot) {
				await page.waitForFunction("document.querySelector('video').currentTime > 0.5")
				await page.screenshot({ path: screenshot })
			}
			const seen = await playing
			await page.close()
			return { ...seen, responses }
		},

		async [Symbol.asyncDispose]() {
			await browser.close()
			site.close()
		},
	}
}

export type Player = Awaited<ReturnType<typeof openPlayer>>
