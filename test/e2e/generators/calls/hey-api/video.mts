import { createClient, createConfig } from './client'
import {
	changeAssets,
	countAssets,
	createApiKey,
	createAsset,
	createCollection,
	createDirectUpload,
	createOrg,
	createWebhookEndpoint,
	deleteAsset,
	deleteWebhookEndpoint,
	getAsset,
	getConfig,
	getDirectUpload,
	getMe,
	listApiKeys,
	listAssets,
	listCollections,
	listWebhookEndpoints,
	readEvents,
	searchAssets,
	signup,
	switchOrg,
	updateAsset,
	updateCollection,
	uploadDirectly,
	whoAmI,
} from './sdk.gen'
import type { Account, Tally } from './tally.mts'

/** Signs up, and calls operations about organizations, assets, collections, uploads and webhooks. */
export async function callVideo(baseUrl: string, { done, refused, matches }: Tally): Promise<Account> {
	const email = 'hey-api@example.org'
	const anyone = createClient(createConfig({ baseUrl }))
	const withToken = (token: string) =>
		createClient(createConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) }))

	const config = await done('getConfig', getConfig({ client: anyone }))
	matches(config.data.registration, { enabled: true })
	const account = { email, password: 'correct horse battery', name: 'Ada Fern' }
	const signedUp = await done('signup', signup({ client: anyone, body: account }))
	const first = withToken(signedUp.data.token)
	const me = await done('getMe', getMe({ client: first }))
	matches(me.data.user, { email, name: 'Ada Fern' })
	const org = await done('createOrg', createOrg({ client: first, body: { name: 'Films' } }))
	const orgId = org.data.id
	const switched = await done('switchOrg', switchOrg({ client: first, body: { orgId } }))
	matches(switched.data.org, { id: orgId })
	const token = switched.data.token
	const owner = withToken(token)
	const inOrg = { path: { orgId } }
	const created = await done(
		'createApiKey',
		createApiKey({
			client: owner,
			...inOrg,
			body: { name: 'a program', scopes: ['read', 'write', 'admin', 'headless:auth'] },
		}),
	)
	const keys = await done('listApiKeys', listApiKeys({ client: owner, ...inOrg }))
	matches(keys.data, [{ id: created.data.id, lastFour: created.data.key.slice(-4) }])
	const key = created.data.key
	const program = createClient(
		createConfig({ baseUrl, auth: ({ type }) => (type === 'apiKey' ? key : undefined) }),
	)
	const who = await done('whoAmI', whoAmI({ client: program }))
	matches(who.data, { kind: 'key', org: { id: orgId } })

	const post = { body: { title: 'Harbour', metadata: { shoot: '7' } } }
	const harbour = await done('createAsset', createAsset({ client: program, ...post }))
	const assetId = harbour.data.id
	const spare = await done('createAsset', createAsset({ client: program, body: { title: 'Spare' } }))
	await refused('createAsset', 400, createAsset({ client: program, body: { title: '' } }))
	const collection = await done(
		'createCollection',
		createCollection({ client: program, body: { name: 'Sea', color: 'teal' } }),
	)
	const collectionId = collection.data.id
	const renamed = await done(
		'updateCollection',
		updateCollection({ client: program, path: { collectionId }, body: { name: 'Seaside' } }),
	)
	matches(renamed.data, { name: 'Seaside', color: 'teal' })
	const byId = { path: { assetId } }
	const moved = await done(
		'updateAsset',
		updateAsset({ client: program, ...byId, body: { collectionId, description: 'Boats' } }),
	)
	matches(moved.data, { collectionId, description: 'Boats' })
	const collections = await done('listCollections', listCollections({ client: program }))
	matches(collections.data, [{ id: collectionId, videoCount: 1 }])
	const asset = await done('getAsset', getAsset({ client: program, ...byId }))
	matches(asset.data, { title: 'Harbour', status: 'created', metadata: { shoot: '7' } })
	const query = { collectionId, status: 'created,ready', hasCaptions: 'false', limit: 5 } as const
	const inCollection = await done('listAssets', listAssets({ client: program, query }))
	matches(inCollection.data, [{ id: assetId }])
	const newest = await done('listAssets', listAssets({ client: program, query: { limit: 1 } }))
	matches(newest.data, [{ id: spare.data.id }])
	const counts = await done('countAssets', countAssets({ client: program }))
	matches(counts.data.created, { count: 2, hasMore: false })
	const found = await done('searchAssets', searchAssets({ client: program, query: { q: 'boats' } }))
	matches(found.data, { total: 1, items: [{ id: assetId }] })
	const changed = await done(
		'changeAssets',
		changeAssets({
			client: program,
			body: { assetIds: [assetId], action: { type: 'setVisibility', visibility: 'unlisted' } },
		}),
	)
	matches(changed.data, { results: [{ assetId, result: 'done' }], cursor: null })

	const upload = await done(
		'createDirectUpload',
		createDirectUpload({
			client: program,
			body: { newAsset: { title: 'Upload' } },
		}),
	)
	const uploadToken = upload.data.url.split('/').at(-1) ?? ''
	await done(
		'uploadDirectly',
		uploadDirectly({
			client: anyone,
			path: { uploadToken },
			body: new Blob(['not a film'], { type: 'video/mp4' }),
		}),
	)
	const uploadId = upload.data.id
	const ended = await done('getDirectUpload', getDirectUpload({ client: program, path: { uploadId } }))
	matches(ended.data, { status: 'asset_created' })
	const bySpare = { path: { assetId: spare.data.id } }
	matches((await done('deleteAsset', deleteAsset({ client: program, ...bySpare }))).data, { deleted: true })
	await refused('getAsset', 404, getAsset({ client: program, ...bySpare }))

	const endpoint = await done(
		'createWebhookEndpoint',
		createWebhookEndpoint({
			client: program,
			...inOrg,
			body: { url: 'https://hooks.example.org/', types: ['asset.ready'] },
		}),
	)
	const endpoints = await done('listWebhookEndpoints', listWebhookEndpoints({ client: program, ...inOrg }))
	matches(endpoints.data, [{ id: endpoint.data.id, types: ['asset.ready'] }])
	await done(
		'deleteWebhookEndpoint',
		deleteWebhookEndpoint({ client: program, path: { orgId, endpointId: endpoint.data.id } }),
	)
	const events = await done('readEvents', readEvents({ client: program, query: { limit: 1 } }))
	matches(events.data, [{ type: 'asset.created', sequence: events.next }])
	return { email, token, key }
}
