import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/root.ts'
import { flag, isNumber, number, type Proof, proof, text } from './proof.ts'

const clips = process.env.PLAYHOUSE_MEDIA_DIR ?? join(root, '..', 'shared', 'media')
const hour = 3_600_000
const onLibsql = flag('run on libSQL instead of D1')
const edgeProject = (libsql: boolean) => (libsql ? 'edge-libsql' : 'edge')

const withProperties = (pattern: string) =>
	globSync(pattern, { cwd: root }).filter((path) =>
		readFileSync(join(root, path), 'utf8').includes('/property-runs.ts'),
	)

/** Proofs that are long versions of tests. Those with a program of their own are beside this file. */
export const proofs: Record<string, Proof> = {
	'account-deletion': proof({
		about: `Simulates 40 days of account deletions at random times. The daily job is skipped, or runs once or three times, and mails
fail. Then deletes a user with 20,000 posts, 50,000 comments, 200 memberships and 10 organizations, and prints how long
other requests waited meanwhile.`,
		options: { requests: number(5_000, 'deletion requests'), libsql: onLibsql },
		runs: ({ requests, libsql }) => [
			{
				testTimeoutMs: 0,
				project: edgeProject(libsql),
				// One after the other, so that they do not slow each other down.
				options: ['--no-file-parallelism'],
				files: ['simulation', 'large-person', 'execution'].map(
					(name) => `test/edge/operations/account-deletion/execute/${name}.edge.test.ts`,
				),
				env: { SIMULATED_REQUESTS: requests },
			},
		],
	}),

	analytics: proof({
		about: `Compares analytics with an oracle while the Worker is killed. Scripted sessions report as native players do, over a bad
network. At
the end, it is killed once more when it had time to write everything, and the analytics of every video must equal those
of an oracle, number by number. What a kill takes from the memory of the Worker is counted and printed: only reports of
the last 20 seconds that the Worker had, never an end that was acknowledged, and nothing if the player reports again.`,
		options: {
			sessions: number(50_000, 'playback sessions'),
			kills: number(20, 'times that the Worker is killed while people watch', 0),
			seed: number(1, 'seed of all choices', 0),
		},
		runs: ({ sessions, kills, seed }) => [
			{
				files: ['test/e2e/analytics/reports.node.test.ts'],
				env: { ANALYTICS_SESSIONS: sessions, ANALYTICS_KILLS: kills, ANALYTICS_SEED: seed },
			},
		],
	}),

	backups: proof({
		about: `Backs databases up while 200 writers change them. What a backup holds must be the state after one of the writes. Also
ends the Worker before every kind of statement of a backup. On D1 and on libSQL. Also writes a zip of more than 4 GiB into
the folder for temporary files, and reads it with unzip and as a restore does.`,
		options: { seeds: number(50, 'random worlds on each database') },
		runs: ({ seeds }) => [
			...(['edge', 'edge-libsql'] as const).map((project) => ({
				project,
				files: ['writers', 'backups'].map((name) => `test/edge/operations/backups/${name}.edge.test.ts`),
				env: { PROOF_SEEDS: seeds },
				testTimeoutMs: 0,
			})),
			{
				files: ['test/edge/operations/backups/download/zip.node.test.ts'],
				env: { PROOF_ZIP: '4 GiB' },
				testTimeoutMs: 0,
			},
		],
	}),

	billing: proof({
		about: `Lets 30 stories of customers happen at a stand-in for Stripe, behind the official SDK. They have trials, 3-D Secure,
disputes, downgrades, two checkouts, cancellations and returns. Their events arrive in any order, repeatedly, late or never, and
the answers of Stripe take long. Each story must have one end, and nobody may pay twice.`,
		options: {
			runs: number(100, 'how often all stories happen'),
			seed: number(41, 'the seed of the random numbers'),
			libsql: onLibsql,
		},
		runs: ({ runs, seed, libsql }) => [
			{
				testTimeoutMs: hour,
				project: edgeProject(libsql),
				files: ['test/edge/accounts/billing/stories.edge.test.ts'],
				env: { PROOF_BILLING_RUNS: runs, PROOF_BILLING_SEED: seed },
			},
		],
	}),

	community: proof({
		about: `Compares counters, places at events and visibility with an oracle. After random operations, every counter must equal its
rows, and every place must belong to the next member in line. In random communities, every member must see exactly what
the rules allow. Hundreds of calls run at once. Every run uses the same random numbers.`,
		options: {
			operations: number(10_000, 'random operations; 0 skips them', 0),
			seeds: number(50, 'random communities; 0 skips them', 0),
			libsql: onLibsql,
		},
		runs: ({ operations, seeds, libsql }) => [
			{
				testTimeoutMs: hour,
				project: edgeProject(libsql),
				files: [
					'concurrency',
					...(Number(operations) > 0 ? ['property'] : []),
					...(Number(seeds) > 0 ? ['fuzz'] : []),
				].map((name) => `test/edge/community/${name}.edge.test.ts`),
				env: { PROOF_OPERATIONS: operations, PROOF_SEEDS: seeds },
			},
		],
	}),

	corpus: proof({
		about: `Encodes every input of the corpus, including ten minutes of video, in H.264, HEVC and AV1. Every frame must appear once,
in order, similar to its source and in sync with the audio. Prints the similarity.`,
		options: {
			only: text('NAME', "only inputs whose test title contains NAME, such as pal-25 or 'pal-25 in av1'"),
		},
		note: 'If PLAYHOUSE_MEDIA_DIR names a folder of real clips, they are included.',
		runs: ({ only }) => [
			{
				testTimeoutMs: hour,
				files: ['video', 'audio', 'clips'].map((name) => `test/transcoder-daemon/tasks/${name}.node.test.ts`),
				options: ['--maxConcurrency', '2', ...(only ? ['-t', only] : [])],
				env: { CORPUS: 'all' },
			},
		],
	}),

	enumeration: proof({
		about: `Checks that the sign-in endpoints take as long for an address with an account as for an unknown one. Sends pairs of
requests, known and unknown in turns, with real password hashing. The result is how often the known address took longer,
because noise on a busy machine does not change that.`,
		options: { pairs: number(300, 'pairs of requests per endpoint') },
		runs: ({ pairs }) => [
			{
				testTimeoutMs: hour,
				files: ['test/edge/accounts/identity/enumeration.node.test.ts'],
				env: { ENUMERATION_PAIRS: pairs },
			},
		],
	}),

	firefox: proof({
		about: `Plays a video in Firefox. The embed page must play, seek, show captions, change the quality and reach the end, without an
error on the console, a violation of its policy or a request to another host. Pages of three origins may call what the
owners of the origins allow. Firefox is controlled by WebDriver BiDi. It needs libavcodec for H.264. On Debian: apt-get install firefox-esr libavcodec-extra`,
		options: {
			path: text('FILE', 'the program (default: FIREFOX_PATH, or firefox-esr or firefox in /usr/bin)'),
			screenshot: text('FILE', 'writes a PNG of the player'),
		},
		runs({ path, screenshot }) {
			const installed = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync)
			const program = path ?? process.env.FIREFOX_PATH ?? installed
			if (program === undefined) return { problem: 'Firefox is not installed' }
			return [
				{
					files: [
						'test/edge/web/player/firefox.node.test.ts',
						'test/edge/accounts/allowed-origins/browsers.node.test.ts',
					],
					options: ['--silent=false'],
					env: { FIREFOX_PATH: program, ...(screenshot && { FIREFOX_SCREENSHOT: screenshot }) },
				},
			]
		},
	}),

	generators: proof({
		about: `Generates clients from schema/openapi.json with five foreign generators, and calls the Worker with two of them. Each client
must compile under strict, together with the calls that are written for it. At least 40 calls of openapi-fetch and of
hey-api must get what the document promises. Prints the lines, the errors and the calls.`,
		note: 'Downloads the generators from the npm registry into a temporary folder. Needs Node 20.19 or later.',
		runs: () => [
			{
				files: ['test/e2e/generators/generators.node.test.ts'],
				options: ['--silent=false'],
				env: { PROOF_GENERATORS: 'all' },
			},
		],
	}),

	hardware: proof({
		about: `Encodes the corpus with each hardware encoder of this machine, alone and with the decoder that shares its memory, in the
daemon's sandbox. Every frame must appear once, in order and similar to its source, and no chunk may need software.`,
		note: 'Fails if no hardware encoder works, and prints the reasons.',
		runs: () => [
			{
				testTimeoutMs: 600_000,
				files: ['test/transcoder-daemon/corpus/hardware.node.test.ts'],
				env: { HARDWARE: 'all' },
			},
		],
	}),

	hostile: proof({
		about: `Corrupts videos of every container, a few bits at a time. Each file must play or be rejected with a message that people
understand. Every run makes the same changes.`,
		options: { mutations: number(240, 'corrupted files') },
		runs: ({ mutations }) => [
			{
				testTimeoutMs: 10 * hour,
				files: ['test/transcoder-daemon/tasks/hostile.node.test.ts'],
				env: { MUTATIONS: mutations },
			},
		],
	}),

	libsql: proof({
		about:
			'Runs all tests of the Worker on libSQL. `npm test` leaves out those with the tag d1, whose statements others send.',
		runs: () => [{ project: 'edge-libsql', files: [], env: {} }],
	}),

	player: proof({
		about: `Opens the player at random times of a video with ?t=. The picture before the click, the first frame after the click and
the frame that ffmpeg finds at that time must be alike (SSIM above 0.95).`,
		options: { starts: number(50, 'random times'), seed: number(1, 'seed of the times') },
		runs: ({ starts, seed }) => [
			{
				files: ['test/edge/web/player/playback/playback.node.test.ts'],
				options: ['-t', 'the player with'],
				env: { PLAYER_STARTS: starts, PLAYER_SEED: seed },
			},
		],
	}),

	'product-corpus': proof({
		about: `Runs npm start and sends every input of the corpus from upload to browser. For each input, every rendition must have the
same frames as a single encode, in order and without gaps. Audio and video must start and end together, and the
playlists must pass the HLS validator. hls.js in Chromium plays many of them to the end. Then uploads hostile files:
playlists, scripts, decompression bombs and damaged files. They must end in a message that people understand, must not
access other files or URLs, and must not stop the machine. Takes half an hour or more and prints a table.`,
		options: {
			only: text('NAME', 'only inputs whose name contains NAME, without the hostile files'),
			hostile: flag('only the hostile files'),
		},
		note: `If PLAYHOUSE_MEDIA_DIR names a folder of real clips, they are included${existsSync(clips) ? ` (${clips})` : ''}.`,
		runs({ only, hostile }) {
			if (!existsSync(clips)) console.log('Without real clips: PLAYHOUSE_MEDIA_DIR names no folder of them.')
			const parts = hostile ? ['hostile'] : only ? ['corpus'] : ['corpus', 'hostile']
			return [
				{
					files: parts.map((part) => `test/e2e/product/${part}.node.test.ts`),
					options: ['--no-file-parallelism'],
					env: {
						PRODUCT_CORPUS: 'all',
						...(only && { PRODUCT_ONLY: only }),
						...(existsSync(clips) && { PLAYHOUSE_MEDIA_DIR: clips }),
					},
				},
			]
		},
	}),

	properties: proof({
		about: `Tries each property of the unit tests, and those of whole requests, histories of jobs and restores, with many more random
inputs than \`npm test\` does. A failure prints the seed that causes it.`,
		options: {
			factor: number(100, 'how many times as many inputs'),
			'slow-factor': number(10, 'the same for tests of the Worker and of programs'),
		},
		runs: ({ factor, 'slow-factor': slow }) => [
			{ project: 'unit', files: [], env: { PROPERTY_RUNS_FACTOR: factor }, testTimeoutMs: 0 },
			...(['edge', 'node'] as const).map((project) => ({
				project,
				files: withProperties(`test/**/*.${project}.test.ts`),
				env: { PROPERTY_RUNS_FACTOR: slow },
				testTimeoutMs: 0,
			})),
		],
	}),

	'sdk-runtimes': proof({
		about: `Runs the packed SDK in Node 22, Bun and Deno. A program lists assets, repeats a call and uploads a file in each of
them.`,
		note: 'Downloads 130 MB from the npm registry into a temporary folder.',
		runs: () => [
			{
				files: ['test/sdk/runtimes.node.test.ts'],
				env: { PROOF_RUNTIMES: 'all' },
			},
		],
	}),

	'sdk-uploads': proof({
		about: `Kills the process of an upload and cuts its network at random bytes. The uploads use the SDK. Each kill or cut may
repeat at most one chunk, and the source must have the digest of the file. Then uploads a sparse file in at most 120 MB
of memory.`,
		options: {
			kills: number(10, 'how often the process is killed, and the network is cut'),
			gigabytes: number(10, 'the size of the sparse file'),
			seed: number(
				0,
				'chooses the bytes of the kills and cuts; 0 takes a random one, which the titles contain',
				0,
			),
		},
		runs: ({ kills, gigabytes, seed }) => [
			{
				testTimeoutMs: hour,
				// One after the other, as memory is measured.
				options: ['--no-file-parallelism', '--silent=false'],
				files: ['kills', 'memory'].map((name) => `test/sdk/uploads/upload-${name}.node.test.ts`),
				env: {
					SDK_UPLOAD_KILLS: kills,
					SDK_UPLOAD_SEED: seed,
					SDK_UPLOAD_BYTES: String(Number(gigabytes) * 1e9),
				},
			},
		],
	}),

	streams: proof({
		about: `Measures how long a browser waits for what another one writes. Both are Chromium on a Worker of this machine. Prints the
median, the 95th percentile and the longest time. Every comment must be heard once, in order and without polling; then the
Worker is killed while one is written, and the reader must know all of them.`,
		options: { writes: number(100, 'comments') },
		runs: ({ writes }) => [
			{
				testTimeoutMs: hour,
				files: ['test/edge/community/streams/two-browsers.node.test.ts'],
				env: { STREAM_WRITES: writes },
			},
		],
	}),

	transcription: proof({
		about: `Runs npm start and has a machine write down what a synthetic voice says. A script of three topics is spoken once (142 s)
and six times (14 min), with pauses of known length, and pocketsphinx listens. Prints the word error rate, which sclite
checks, how far sentences are off, what is lost by cutting sound into chunks, and a table of chapters beside three
baselines. Of two machines, one is killed while it listens; the text must not change by that.`,
		note: "Needs Debian's pocketsphinx, pocketsphinx-en-us and sctk, and an ffmpeg with flite. Takes about ten minutes.",
		runs: () => [
			{
				files: ['test/e2e/product/transcription-proof.node.test.ts'],
				env: { TRANSCRIPTION_PROOF: 'all' },
				testTimeoutMs: 0,
				options: ['--bail', '1', '--hookTimeout', '600000'],
			},
		],
	}),

	tus: proof({
		about: `Uploads over connections that break at random bytes. Also kills the Worker during an upload, and measures the memory of
workerd during large ones. Each upload must end with the SHA-256 of the source, and memory must not grow with
the file.`,
		options: {
			uploads: number(200, 'uploads with a broken connection'),
			restarts: number(10, 'times that workerd is killed during one upload'),
			memory: text('L', 'two sizes in MiB that must need the same memory (default 100,2048)'),
		},
		runs({ uploads, restarts, memory = '100,2048' }) {
			if (!memory.split(',').every(isNumber)) return { problem: '--memory must be two whole numbers' }
			return [
				{
					testTimeoutMs: hour,
					// One after the other, as memory is measured.
					options: ['--no-file-parallelism'],
					files: ['cuts', 'restart', 'memory'].map(
						(name) => `test/edge/video/uploads/tus/${name}.node.test.ts`,
					),
					env: { TUS_UPLOADS: uploads, TUS_RESTARTS: restarts, UPLOAD_MIB: memory },
				},
			]
		},
	}),

	webhooks: proof({
		about: `Delivers events to twenty webhook endpoints, of which ten are dead, while the Worker is killed at random times. Every
working receiver must get every event, in order if it asked for that. A copy of the data made from events must equal the
database. Dead receivers must not double the delay of the others (95th percentile).`,
		options: {
			events: number(20_000, 'requests that create or delete an asset'),
			kills: number(50, 'times that the Worker is killed', 0),
			seed: number(1, 'seed of the order', 0),
		},
		runs: ({ events, kills, seed }) => [
			{
				files: ['test/e2e/webhooks/deliveries.node.test.ts'],
				env: { WEBHOOK_EVENTS: events, WEBHOOK_KILLS: kills, WEBHOOK_SEED: seed },
			},
		],
	}),
}
