import { request } from 'node:http'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { allOperations } from '#schema/contract/index.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { chromiumPath, openBrowser } from '../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { needs } from '../../support/shared/needs.ts'

/** The response of each operation without a body, for an allowed caller, an asset without a source; other ids are unknown. */
const withoutBody: Record<string, { status: number; code: string | null }> = {
	rotateWebhookSecret: { status: 404, code: 'not_found' },
	retryWebhookEvent: { status: 404, code: 'not_found' },
	putAccessGroupMember: { status: 404, code: 'not_found' },
	createPlaybackToken: { status: 200, code: null },
	createUploadUrl: { status: 200, code: null },
	processAsset: { status: 409, code: 'conflict' },
	beginUpload: { status: 201, code: null },
	testAiSettings: { status: 409, code: 'conflict' },
	unreact: { status: 400, code: 'validation' },
	unsubscribe: { status: 404, code: 'not_found' },
	// Its source was not sent yet.
	completeUpload: { status: 409, code: 'conflict' },
	hidePost: { status: 404, code: 'not_found' },
	hideComment: { status: 404, code: 'not_found' },
}
/** Ids in the format that the path demands; other parameters accept '1'. */
const unknownIds = { endpointId: `whe_${'0'.repeat(26)}`, eventId: `evt_${'0'.repeat(26)}` }
/** One backup runs at a time, so the response of `runBackup` depends on earlier ones. */
const operations = allOperations.filter(
	(op: Operation) => (op.bodyOptional || op.takesBytes?.optional) && op.id !== 'runBackup',
)
/** Operations with a required JSON body that the session may call with existing ids. */
const needsBody = allOperations.filter(
	(op: Operation) =>
		op.body &&
		!op.bodyOptional &&
		!op.formBody &&
		['public', 'write'].includes(op.auth) &&
		!/\{(?!assetId)/.test(op.path),
)

let worker: RunningWorker
let session: string
let uploadToken: string
let orgId: string
let assetId: string
let sourceKey: string

beforeAll(async () => {
	worker = await startWorker()
	const client = createClient({ baseUrl: worker.url, fetch })
	const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	const signedUp = (await client.call(signup, { body: person })).data
	session = signedUp.token
	orgId = signedUp.org.id
	const as = { token: session }
	// The only community of a user needs no header: member operations find it by the session.
	await client.call(createCommunity, { body: { name: 'Film club', slug: 'film-club' } }, as)
	assetId = (await client.call(createAsset, { body: { title: 'Film' } }, as)).data.id
	const upload = { params: { assetId }, body: { fileSize: 1_000 } }
	;({ token: uploadToken, sourceKey } = (await client.call(createUploadToken, upload, as)).data)
})
afterAll(() => worker?.dispose())

type Sent = { method: string; url: string; headers: Record<string, string> }
type Answer = { status: number; code: string | null }

function requestTo(op: Operation): Sent {
	const ids: Record<string, string> = { assetId, orgId, ...unknownIds }
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? '1')
	const isUpload = op.auth === 'upload'
	return {
		method: op.method.toUpperCase(),
		url: `${worker.url}${path}${op.id === 'unsubscribe' ? '?token=unknown' : ''}`,
		headers: {
			authorization: `Bearer ${isUpload ? uploadToken : session}`,
			...(isUpload && {
				'tus-resumable': '1.0.0',
				'upload-length': '1000',
				'upload-metadata': `filename ${btoa(sourceKey)},filetype ${btoa('video/mp4')}`,
			}),
		},
	}
}

async function expectAnswers(send: (sent: Sent) => Promise<Answer>): Promise<void> {
	const answers: Record<string, Answer> = {}
	for (const op of operations) answers[op.id] = await send(requestTo(op))
	expect(answers).toEqual(withoutBody)
}

async function fetchAnswer({ url, ...init }: Sent, more: RequestInit = {}): Promise<Answer> {
	const response = await fetch(url, { ...init, ...more })
	await response.arrayBuffer()
	return { status: response.status, code: response.headers.get('x-error-code') }
}

/** Sends a chunked body without any data. */
function sendChunked({ url, method, headers }: Sent, more: Record<string, string> = {}): Promise<Answer> {
	const { promise, resolve, reject } = Promise.withResolvers<Answer>()
	const sending = request(url, { method, headers: { ...headers, 'transfer-encoding': 'chunked', ...more } })
	sending.on('error', reject)
	sending.on('response', (response) => {
		const code = response.headers['x-error-code']
		response.resume()
		response.on('end', () => resolve({ status: response.statusCode ?? 0, code: code ? String(code) : null }))
	})
	sending.end()
	return promise
}

test("accepts requests without a body from Node's fetch where the body is optional", () =>
	expectAnswers((sent) => fetchAnswer(sent)))

test('treats an empty text, form or blob as no body, whatever its type and encoding', async () => {
	await expectAnswers((sent) => fetchAnswer(sent, { body: '' }))
	await expectAnswers((sent) => fetchAnswer(sent, { body: new URLSearchParams() }))
	await expectAnswers((sent) => fetchAnswer(sent, { body: new Blob([], { type: 'video/mp4' }) }))
	const encoded = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
	await expectAnswers((sent) => fetchAnswer({ ...sent, headers: { ...sent.headers, ...encoded } }))
})

test('treats an empty chunked body as no body', async () => {
	await expectAnswers((sent) => sendChunked(sent))
	await expectAnswers((sent) => sendChunked(sent, { 'content-type': 'text/plain' }))
})

const curl = await execa('curl', ['--version'], { reject: false }).then(({ failed }) => !failed)

test(
	"accepts bodiless requests from curl with --data '', which declares a form, and with --request alone",
	needs({ curl }),
	async () => {
		const send =
			(...options: string[]) =>
			async ({ method, url, headers }: Sent): Promise<Answer> => {
				const headerOptions = Object.entries(headers).flatMap(([name, value]) => [
					'--header',
					`${name}: ${value}`,
				])
				const write = '%{http_code} %header{x-error-code}'
				const quiet = ['--silent', '--show-error', '--output', '/dev/null', '--write-out', write]
				const { stdout } = await execa('curl', [
					...quiet,
					'--request',
					method,
					...options,
					...headerOptions,
					url,
				])
				const [status, code] = stdout.split(' ')
				return { status: Number(status), code: code || null }
			}
		await expectAnswers(send())
		await expectAnswers(send('--data', ''))
		await expectAnswers(send('--header', 'transfer-encoding: chunked', '--data', ''))
	},
)

test('accepts requests without a body from a web page', needs({ Chromium: chromiumPath }), async () => {
	await using browser = await openBrowser()
	const page = await browser.newPage()
	await page.goto(`${worker.url}/health/live`)
	const send = (body: string | null) => (sent: Sent) =>
		page.evaluate(
			async ([{ url, ...init }, body]) => {
				const response = await fetch(url, { ...init, body })
				return { status: response.status, code: response.headers.get('x-error-code') }
			},
			[sent, body] as const,
		)
	await expectAnswers(send(null))
	await expectAnswers(send(''))
})

test('reports a missing required body, whatever type the empty body declares', async () => {
	const types = [
		undefined,
		'text/plain;charset=UTF-8',
		'application/x-www-form-urlencoded',
		'application/json',
	]
	for (const op of needsBody)
		for (const type of types) {
			const { url, method, headers } = requestTo(op)
			const named = type === undefined ? headers : { ...headers, 'content-type': type }
			const response = await fetch(url, { method, headers: named })
			expect([op.id, response.status, await response.json()]).toEqual([
				op.id,
				400,
				{
					error: expect.stringMatching(/^the body is missing; send JSON as content-type: application\/json/),
				},
			])
		}
})

test('rejects a non-empty body of another type', async () => {
	for (const op of operations.filter((op: Operation) => op.bodyOptional))
		expect(await fetchAnswer(requestTo(op), { body: '{}' })).toEqual({
			status: 415,
			code: 'unsupported_media_type',
		})
})
