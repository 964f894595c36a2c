import createClient from 'openapi-fetch'
import type { paths } from './schema'
import type { Account, Tally } from './tally.mts'

/** Signs up, and calls operations about organizations, assets, collections, uploads and webhooks. */
export async function callVideo(baseUrl: string, { done, refused, matches }: Tally): Promise<Account> {
	const email = 'openapi-fetch@example.org'
	const anyone = createClient<paths>({ baseUrl })
	const withToken = (token: string) =>
		createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })

	const config = await done('getConfig', anyone.GET('/v1/config'))
	matches(config.data.registration, { enabled: true })
	const account = { email, password: 'correct horse battery', name: 'Ada Fern' }
	const signedUp = await done('signup', anyone.POST('/v1/auth/signup', { body: account }))
	const first = withToken(signedUp.data.token)
	const me = await done('getMe', first.GET('/v1/auth/me'))
	matches(me.data.user, { email, name: 'Ada Fern' })
	const org = await done('createOrg', first.POST('/v1/orgs', { body: { name: 'Films' } }))
	const orgId = org.data.id
	const switched = await done('switchOrg', first.POST('/v1/auth/switch-org', { body: { orgId } }))
	matches(switched.data.org, { id: orgId })
	const token = switched.data.token
	const owner = withToken(token)
	const inOrg = { path: { orgId } }
	const created = await done(
		'createApiKey',
		owner.POST('/v1/orgs/{orgId}/api-keys', {
			params: inOrg,
			body: { name: 'a program', scopes: ['read', 'write', 'admin', 'headless:auth'] },
		}),
	)
	const keys = await done('listApiKeys', owner.GET('/v1/orgs/{orgId}/api-keys', { params: inOrg }))
	matches(keys.data, [{ id: created.data.id, lastFour: created.data.key.slice(-4) }])
	const key = created.data.key
	const program = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key } })
	const who = await done('whoAmI', program.GET('/v1/auth/whoami'))
	matches(who.data, { kind: 'key', org: { id: orgId } })

	const post = { body: { title: 'Harbour', metadata: { shoot: '7' } } }
	const harbour = await done('createAsset', program.POST('/v1/assets', post))
	const assetId = harbour.data.id
	const spare = await done('createAsset', program.POST('/v1/assets', { body: { title: 'Spare' } }))
	await refused('createAsset', 400, program.POST('/v1/assets', { body: { title: '' } }))
	const collection = await done(
		'createCollection',
		program.POST('/v1/collections', { body: { name: 'Sea', color: 'teal' } }),
	)
	const collectionId = collection.data.id
	const renamed = await done(
		'updateCollection',
		program.PATCH('/v1/collections/{collectionId}', {
			params: { path: { collectionId } },
			body: { name: 'Seaside' },
		}),
	)
	matches(renamed.data, { name: 'Seaside', color: 'teal' })
	const byId = { params: { path: { assetId } } }
	const moved = await done(
		'updateAsset',
		program.PATCH('/v1/assets/{assetId}', { ...byId, body: { collectionId, description: 'Boats' } }),
	)
	matches(moved.data, { collectionId, description: 'Boats' })
	const collections = await done('listCollections', program.GET('/v1/collections'))
	matches(collections.data, [{ id: collectionId, videoCount: 1 }])
	const asset = await done('getAsset', program.GET('/v1/assets/{assetId}', byId))
	matches(asset.data, { title: 'Harbour', status: 'created', metadata: { shoot: '7' } })
	const query = { collectionId, status: 'created,ready', hasCaptions: 'false', limit: 5 } as const
	const inCollection = await done('listAssets', program.GET('/v1/assets', { params: { query } }))
	matches(inCollection.data, [{ id: assetId }])
	const newest = await done('listAssets', program.GET('/v1/assets', { params: { query: { limit: 1 } } }))
	matches(newest.data, [{ id: spare.data.id }])
	const counts = await done('countAssets', program.GET('/v1/assets/counts'))
	matches(counts.data.created, { count: 2, hasMore: false })
	const found = await done(
		'searchAssets',
		program.GET('/v1/assets/search', { params: { query: { q: 'boats' } } }),
	)
	matches(found.data, { total: 1, items: [{ id: assetId }] })
	const changed = await done(
		'changeAssets',
		program.POST('/v1/assets/bulk', {
			body: { assetIds: [assetId], action: { type: 'setVisibility', visibility: 'unlisted' } },
		}),
	)
	matches(changed.data, { results: [{ assetId, result: 'done' }], cursor: null })

	const upload = await done(
		'createDirectUpload',
		program.POST('/v1/direct-uploads', {
			body: { newAsset: { title: 'Upload' } },
		}),
	)
	const uploadToken = upload.data.url.split('/').at(-1) ?? ''
	await done(
		'uploadDirectly',
		anyone.PUT('/upload/direct/{uploadToken}', {
			params: { path: { uploadToken } },
			body: new Blob(['not a film'], { type: 'video/mp4' }),
			headers: { 'Content-Type': 'application/octet-stream' },
			bodySerializer: (body) => body as Blob,
		}),
	)
	const uploadId = upload.data.id
	const ended = await done(
		'getDirectUpload',
		program.GET('/v1/direct-uploads/{uploadId}', { params: { path: { uploadId } } }),
	)
	matches(ended.data, { status: 'asset_created' })
	const bySpare = { params: { path: { assetId: spare.data.id } } }
	matches((await done('deleteAsset', program.DELETE('/v1/assets/{assetId}', bySpare))).data, {
		deleted: true,
	})
	await refused('getAsset', 404, program.GET('/v1/assets/{assetId}', bySpare))

	const endpoint = await done(
		'createWebhookEndpoint',
		program.POST('/v1/orgs/{orgId}/webhooks/endpoints', {
			params: inOrg,
			body: { url: 'https://hooks.example.org/', types: ['asset.ready'] },
		}),
	)
	const endpoints = await done(
		'listWebhookEndpoints',
		program.GET('/v1/orgs/{orgId}/webhooks/endpoints', { params: inOrg }),
	)
	matches(endpoints.data, [{ id: endpoint.data.id, types: ['asset.ready'] }])
	await done(
		'deleteWebhookEndpoint',
		program.DELETE('/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}', {
			params: { path: { orgId, endpointId: endpoint.data.id } },
		}),
	)
	const events = await done('readEvents', program.GET('/v1/events', { params: { query: { limit: 1 } } }))
	matches(events.data, [{ type: 'asset.created', sequence: events.next }])
	return { email, token, key }
}
