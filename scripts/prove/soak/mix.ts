import { listCommunities } from '#schema/contract/community/manage/communities.ts'
import { listManagedSpaces } from '#schema/contract/community/manage/spaces.ts'
import { createPostComment, listPostComments } from '#schema/contract/community/member/post-comments.ts'
import {
	createPost,
	getPost,
	listHomePosts,
	listSpacePosts,
	searchPosts,
} from '#schema/contract/community/member/posts.ts'
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import type { Session } from '../../seed/session.ts'

/** Content of the installation that the requests use. */
export type Content = {
	url: string
	session: Session
	communityId: number
	spaceId: string
	playbackIds: string[]
	assetIds: string[]
	/** A short film that becomes a new video now and then. */
	film: Blob
}

/** Ids that the installation has confirmed. Each must still exist at the end, unless its deletion was sent. */
export type Accepted = { posts: Set<number>; assets: Set<string>; isDeleting: Set<string> }

export const createAccepted = (): Accepted => ({
	posts: new Set(),
	assets: new Set(),
	isDeleting: new Set(),
})

type Request = { share: number; send(content: Content, accepted: Accepted): Promise<unknown> }

/** Requests with their shares of the load, in percent. */
export const requests: Record<string, Request> = {
	'list assets': { share: 8, send: ({ session }) => session.client.call(listAssets, { query: {} }) },
	'get asset': {
		share: 10,
		send: ({ session, assetIds }) => session.client.call(getAsset, { params: { assetId: any(assetIds) } }),
	},
	'create asset': {
		share: 3,
		async send({ session }, { assets }) {
			assets.add((await session.client.call(createAsset, { body: { title: 'Soak' } })).data.id)
		},
	},
	'rename asset': {
		share: 2,
		send: ({ session, assetIds }) =>
			session.client.call(updateAsset, { params: { assetId: any(assetIds) }, body: { title: 'Renamed' } }),
	},
	'delete asset': {
		share: 2,
		async send({ session }, { assets, isDeleting }) {
			const assetId = [...assets].find((id) => !isDeleting.has(id))
			if (!assetId) return
			isDeleting.add(assetId)
			await session.client.call(deleteAsset, { params: { assetId } })
		},
	},
	'upload a video': {
		share: 0.05,
		async send({ url, session, film }, { assets }) {
			const { id: assetId } = (await session.client.call(createAsset, { body: { title: 'Soak film' } })).data
			await fetchOk(`${url}/v1/assets/${assetId}/upload`, {
				method: 'PUT',
				headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/octet-stream' },
				body: film,
			})
			await session.client.call(processAsset, { params: { assetId }, body: {} })
			assets.add(assetId)
		},
	},
	'playback record': { share: 16, send: (content) => manifestOf(content) },
	'playlist and segment': { share: 15, send: playSegment },
	'watch page': {
		share: 6,
		send: ({ url, playbackIds }) => fetchOk(`${url}/watch/${any(playbackIds)}`),
	},
	'home posts': { share: 8, send: (content) => asMember(content).call(listHomePosts, { query: {} }) },
	'space posts': {
		share: 8,
		send: (content) =>
			asMember(content).call(listSpacePosts, { params: { spaceId: content.spaceId }, query: {} }),
	},
	'create post': {
		share: 3,
		async send(content, { posts }) {
			const body = { name: 'Soak', body: 'A post that is long enough to be found by a search for soak.' }
			posts.add((await asMember(content).call(createPost, { params: { spaceId: content.spaceId }, body })).id)
		},
	},
	'get post': {
		share: 6,
		async send(content, { posts }) {
			const postId = String(any([...posts]) ?? '')
			if (postId) await asMember(content).call(getPost, { params: { postId } })
		},
	},
	comment: {
		share: 4,
		async send(content, { posts }) {
			const postId = String(any([...posts]) ?? '')
			if (!postId) return
			await asMember(content).call(createPostComment, { params: { postId }, body: { body: 'A comment' } })
			await asMember(content).call(listPostComments, { params: { postId }, query: {} })
		},
	},
	search: {
		share: 3,
		send: (content) => asMember(content).call(searchPosts, { query: { search_text: 'soak' } }),
	},
	health: { share: 5.95, send: ({ url }) => fetchOk(`${url}/health/ready`) },
}

const totalShare = Object.values(requests).reduce((sum, { share }) => sum + share, 0)

/** Returns the name of a request; `at` from 0 to 1 selects it by its share. */
export function chooseRequest(at: number): string {
	let left = at * totalShare
	for (const [name, { share }] of Object.entries(requests)) {
		left -= share
		if (left < 0) return name
	}
	return 'health'
}

export async function findContent(url: string, session: Session, film: Blob): Promise<Content> {
	const { data: assets } = await session.client.call(listAssets, { query: {} })
	const [community] = (await session.client.call(listCommunities, { query: {} })).data
	if (!community) throw new Error('the demo has no community')
	const params = { communityId: String(community.id) }
	const space = (await session.client.call(listManagedSpaces, { params })).data.find(
		({ spaceType }) => spaceType === 'basic',
	)
	return {
		...{ url, session, film },
		communityId: community.id,
		spaceId: String(space?.id),
		playbackIds: assets.map(({ playbackId }) => playbackId),
		assetIds: assets.map(({ id }) => id),
	}
}

/** Returns what was accepted and is lost. */
export async function findLost(content: Content, { posts, assets, isDeleting }: Accepted): Promise<string[]> {
	const lost: string[] = []
	for (const id of posts) {
		const found = asMember(content).call(getPost, { params: { postId: String(id) } })
		await found.catch(() => lost.push(`post ${id}`))
	}
	for (const assetId of assets) {
		if (isDeleting.has(assetId)) continue
		await content.session.client
			.call(getAsset, { params: { assetId } })
			.catch(() => lost.push(`asset ${assetId}`))
	}
	return lost
}

const asMember = ({ session, communityId }: Content) => session.inCommunity(communityId)

async function manifestOf({ url, playbackIds }: Content): Promise<string> {
	const record = await fetchOk(`${url}/v1/playback/${any(playbackIds)}`)
	return (JSON.parse(record.toString()) as { data: { manifestUrl: string } }).data.manifestUrl
}

async function playSegment(content: Content): Promise<void> {
	const manifest = await manifestOf(content)
	const playlist = firstUrl((await fetchOk(manifest)).toString(), manifest)
	await fetchOk(firstUrl((await fetchOk(playlist)).toString(), playlist))
}

const firstUrl = (playlist: string, base: string): string =>
	new URL(playlist.split('\n').find((line) => line && !line.startsWith('#')) ?? '', base).href

async function fetchOk(url: string, init?: RequestInit): Promise<Buffer> {
	const response = await fetch(url, init)
	const body = Buffer.from(await response.arrayBuffer())
	if (!response.ok) throw new HttpError(response.status, new URL(url).pathname)
	return body
}

export class HttpError extends Error {
	readonly status: number
	constructor(status: number, path: string) {
		super(`${path} returned ${status}`)
		this.status = status
	}
}

const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T
