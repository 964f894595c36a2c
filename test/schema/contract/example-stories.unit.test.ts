import { expect, test } from 'vitest'
import document from '#schema/openapi.json' with { type: 'json' }

type Json = null | string | number | boolean | Json[] | { [name: string]: Json }
type Fields = { [name: string]: Json }
type Message = { content?: Record<string, { example?: Json }> }
type Methods = Record<
	string,
	{ operationId?: string; requestBody?: Message; responses?: Record<string, Message> }
>

const described = Object.entries({ ...document.paths, ...document.webhooks } as unknown as Record<
	string,
	Methods
>).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, op]) => ({ name: op.operationId ?? `${method} ${path}`, op })),
)

/** Returns every object in an example, with its path. */
function listObjects(value: Json | undefined, at: string): [at: string, fields: Fields][] {
	if (Array.isArray(value)) return value.flatMap((item) => listObjects(item, at))
	if (value === null || typeof value !== 'object') return []
	return [
		[at, value],
		...Object.entries(value).flatMap(([name, inner]) => listObjects(inner, `${at}.${name}`)),
	]
}

const objects = described.flatMap(({ name, op }) =>
	[op.requestBody, ...Object.values(op.responses ?? {})].flatMap((message) =>
		listObjects(message?.content?.['application/json']?.example, name),
	),
)

const hasValue = (fields: Fields, name: string) => fields[name] !== undefined && fields[name] !== null

/** Returns the objects that break a rule, as `place: fields`. */
const findBroken = (findFields: (fields: Fields, at: string) => string[]) =>
	objects.flatMap(([at, fields]) => {
		const broken = findFields(fields, at)
		return broken.length > 0 ? [`${at}: ${broken.join(', ')}`] : []
	})

/** Fields that only some states have. A state is a value of `status`, `state`, `result` or `kind`. */
const excluded: [states: string[], fields: string[]][] = [
	[
		['waiting', 'pending', 'queued', 'running', 'created', 'processing', 'open'],
		['endedAt', 'finishedAt', 'completed_at', 'completedAt'],
	],
	[['waiting', 'cancelled'], ['assetId']],
	[
		['done', 'completed', 'ready', 'delivered', 'succeeded', 'asset_created', 'verified'],
		['code', 'error', 'errorMessage', 'problem', 'nextAttemptAt', 'failingSince'],
	],
	[['session'], ['key']],
	[['key'], ['user']],
	[
		['post_comment', 'comment_reply', 'post_reaction'],
		['event_id', 'reason'],
	],
	[
		['org', 'api_key'],
		['userId', 'email'],
	],
	[['password', 'code', 'passkey'], ['label']],
]

test('no example of the OpenAPI document has a field that its state excludes', () => {
	expect(objects.length).toBeGreaterThan(1_000)
	expect(
		findBroken((fields) =>
			excluded.flatMap(([states, names]) =>
				['status', 'state', 'result', 'kind'].some((name) => states.includes(fields[name] as string))
					? names.filter((name) => hasValue(fields, name))
					: [],
			),
		),
	).toEqual([])
})

const isStart = (name: string) => /^(created|added|requested|started|joined|registered)_?At$/i.test(name)
const isEnd = (name: string) =>
	/(expires|ended|finished|updated|completed|cancelled|confirmed|verified|drilled|lastSeen|lastUsed)_?At$|until$|scheduled_for$|currentPeriodEnd$/i.test(
		name,
	)

test('nothing in an example of the OpenAPI document ends or expires before it began', () => {
	const timed = objects.filter(([, fields]) => Object.keys(fields).some(isStart))
	expect(timed.length).toBeGreaterThan(100)
	expect(
		findBroken((fields) => {
			const starts = Object.keys(fields).filter((name) => isStart(name) && hasValue(fields, name))
			return Object.keys(fields).filter(
				(name) =>
					isEnd(name) &&
					typeof fields[name] === 'string' &&
					starts.some((start) => (fields[start] as string) > (fields[name] as string)),
			)
		}),
	).toEqual([])
})

/** Parts of URLs, and the places in examples where they are valid. */
const places: [part: string, places: RegExp][] = [
	['https://hooks.example.com', /webhook|org|invitation/i],
	['/upload/direct/', /directUpload/i],
	['/calendars/', /calendar/i],
	['/posts/', /post|notification|bookmark|search/i],
	['/events/', /event/i],
	['checkout.example.com', /checkout|portal/i],
	['/source/01k9x3v7.mp4', /source|upload|task|part/i],
	['/audio/01k9x3v7.m4a', /audio|task/i],
	['/backups/', /backup/i],
	['/embed/', /asset|video|oembed/i],
]

test('every URL in an example of the OpenAPI document fits the operation that shows it', () => {
	const seen = new Set<string>()
	expect(
		findBroken((fields, at) =>
			Object.entries(fields).flatMap(([name, value]) => {
				if (typeof value !== 'string' || !/^https:/.test(value)) return []
				const found = places.filter(([part]) => value.includes(part))
				for (const [part] of found) seen.add(part)
				return found.every(([, place]) => place.test(`${at}.${name}`)) ? [] : [`${name} ${value}`]
			}),
		),
	).toEqual([])
	expect(places.filter(([part]) => !seen.has(part))).toEqual([])
})

const isPerson = /^(Mara Lindt|Jonas Berg|Ines Pardo)$/
/** Fields of people. Communities also have them, and are recognized by their slug. */
const ofPeople = [
	'email',
	'userId',
	'community_member_id',
	'memberId',
	'isSuperadmin',
	'displayName',
	'headline',
]

test('examples of the OpenAPI document use names of persons for all people and for nothing else', () => {
	const named = objects.filter(
		([, fields]) => typeof fields.name === 'string' && Object.keys(fields).length > 1,
	)
	const people = named.filter(([, fields]) => !('slug' in fields) && ofPeople.some((name) => name in fields))
	expect(people.length).toBeGreaterThan(50)
	expect(people.filter(([, { name }]) => !isPerson.test(String(name)))).toEqual([])
	const others = named.filter(
		([at, fields]) => !people.some((person) => person[1] === fields) && !/\.createdBy$/.test(at),
	)
	expect(others.filter(([, { name }]) => isPerson.test(String(name))).map(([at]) => at)).toEqual([])
})

/** The expected prefix of the ids in each field. */
const prefixes = {
	assetId: 'ast_',
	collectionId: 'col_',
	jobId: 'job_',
	taskId: 'tsk_',
	orgId: 'org_',
	endpointId: 'whe_',
	eventId: 'evt_',
}

test('an id in an example of the OpenAPI document has the prefix of its kind', () => {
	expect(
		findBroken((fields) =>
			Object.entries(prefixes)
				.filter(([name, prefix]) => typeof fields[name] === 'string' && !fields[name].startsWith(prefix))
				.map(([name]) => `${name} ${fields[name]}`),
		),
	).toEqual([])
})

test('the redirect URI of an identity provider contains its id in examples of the OpenAPI document', () => {
	const providers = objects.filter(([, fields]) => 'redirectUri' in fields)
	expect(providers.length).toBeGreaterThan(0)
	for (const [, { id, redirectUri }] of providers) expect(redirectUri).toContain(`/sign_in/${id}/`)
})
