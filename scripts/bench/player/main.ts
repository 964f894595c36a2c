import { chromium } from 'playwright-core'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { getPlayback } from '../../../schema/contract/watch/playback.ts'
import { provideChromium } from '../../lib/chromium.ts'
import { parseOptions } from '../../lib/command-options.ts'
import { type Contestant, installedContestants, readBaselineFiles, renderBaselinePages } from './baselines.ts'
import { openCompressingProxy } from './compressing-proxy.ts'
import {
	downloadedNames,
	downloadedPackages,
	readDownloadedFiles,
	renderDownloadedPages,
} from './downloaded-baselines.ts'
import { printReport, type Turn } from './report.ts'
import { openSite } from './site.ts'
import { type Click, clicks, type Profile, type Visit, visit } from './visit.ts'

const profiles = {
	lab: { name: 'lab', latencyMs: 100, downMbps: 9, upMbps: 3 },
	cable: { name: 'cable', latencyMs: 20, downMbps: 100, upMbps: 20 },
} as const satisfies Record<string, Profile>

const usage = `npm run bench -- player [options]

Measures how long a viewer waits for the first frame, in Chromium with a throttled network: our /embed page, a page with
hls.js and a page with Video.js, both as published on npm with default settings. With --baselines, also Mux Player and Vidstack.
All show the same video and poster from one origin, compressed and cached alike. Other hosts can't be reached. Each visit
has a fresh profile, and the pages take turns in each round.

The early click comes as soon as the page shows a play button that responds to clicks; the same rule for every page. The
other clicks come 2 s after the load event: touch with a finger, without hovering, and hover with a mouse that has rested
on the button for 0.4 s. The first frame is the first requestVideoFrameCallback after the click. Bytes before the touch
are paid by everyone who opens the page on a phone, also by those who never play.

  --runs N        visits of each page with each click (default 30); the output shows medians and quartiles
  --profile NAME  lab: 9 Mb/s down, 3 up, 100 ms (default); cable: 100 Mb/s down, 20 up, 20 ms
  --baselines DIR
                  a folder with Mux Player and Vidstack, which are too large to be dependencies of this repository:
                  npm install --prefix DIR --ignore-scripts ${downloadedPackages.join(' ')}
  --data-dir DIR  keeps the video there for the next run; by default a temporary folder
  --help          show this help`

const options = {
	runs: { type: 'string', default: '30' },
	profile: { type: 'string', default: 'lab' },
	baselines: { type: 'string' },
	'data-dir': { type: 'string' },
	help: { type: 'boolean', short: 'h', default: false },
} as const

const { values } = parseOptions({ options })
const profile = Object.hasOwn(profiles, values.profile)
	? profiles[values.profile as keyof typeof profiles]
	: undefined
const runs = Number(values.runs)
if (values.help) console.log(usage)
else if (!profile || !Number.isInteger(runs) || runs < 1) {
	console.error('--runs must be a whole number, and --profile lab or cable. See --help.')
	process.exitCode = 64
} else await bench(profile, runs)

async function bench(profile: Profile, runs: number): Promise<void> {
	await using site = await openSite(values['data-dir'])
	const { data } = await createClient({ baseUrl: site.url, fetch }).call(getPlayback, {
		params: { playbackId: site.playbackId },
	})
	const pathOf = (url: string) => new URL(url).pathname
	const sources = { manifest: pathOf(data.manifestUrl), poster: pathOf(data.thumbnailUrl) }
	const { baselines } = values
	const contestants = [...installedContestants, ...(baselines === undefined ? [] : downloadedNames)]
	const downloadedFiles = baselines === undefined ? [] : await readDownloadedFiles(baselines)
	await using proxy = await openCompressingProxy({
		origin: site.url,
		files: new Map([...(await readBaselineFiles()), ...downloadedFiles]),
		pages: new Map([...renderBaselinePages(sources), ...renderDownloadedPages(sources)]),
	})
	const urlOf = (contestant: Contestant) =>
		proxy.url + (contestant === 'playhouse' ? `/embed/${site.playbackId}` : `/baselines/${contestant}`)
	const executablePath = await provideChromium(process.env)
	const browser = await chromium.launch({
		...(executablePath && { executablePath }),
		args: [
			...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
			'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
		],
	})
	try {
		const visitWith = (contestant: Contestant, click: Click) =>
			visit(browser, { url: urlOf(contestant), contestant, profile, click })
		// The first visits fill the memory of the proxy.
		for (const contestant of contestants) await visitWith(contestant, 'early')
		const visits: Record<Click, Turn[]> = { early: [], touch: [], hover: [] }
		for (let round = 0; round < runs; round++)
			for (const click of clicks) {
				const turn = new Map<Contestant, Visit>()
				for (let i = 0; i < contestants.length; i++) {
					// Each round begins with a different page, so that the order favors none.
					const contestant = contestants[(round + i) % contestants.length] as Contestant
					turn.set(contestant, await visitWith(contestant, click))
				}
				visits[click].push(turn)
			}
		printReport(profile, contestants, visits)
	} finally {
		await browser.close()
	}
}
