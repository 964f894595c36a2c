import type { BucketName } from '../../../edge/platform/storage/bucket.ts'

/** Formats of objects that refer to other objects. */
export type Contents = 'master playlist' | 'playlist' | 'storyboard' | 'subtitles'

/** Where the database names objects that must exist. */
export type ExpectedColumn = {
	kind: string
	table: string
	bucket: BucketName
	/** SQL for the key; null for rows without such an object. */
	key: string
	/** SQL for the id to report: of an asset, unless `owner` says of what. */
	id: string
	owner?: 'organization' | 'community' | 'post'
	/** SQL for the size, if it is known. */
	sizeBytes?: string
	contents?: Contents
}

const clip = { table: 'highlights', bucket: 'media', id: 'asset_id' } as const

/** Assets in the trash keep their objects. */
const listAssetColumns = (table: 'assets' | 'trashed_assets'): ExpectedColumn[] => {
	const inMedia = { table, id: 'id', bucket: 'media' } as const
	const inVault = { table, id: 'id', bucket: 'vault' } as const
	return [
		{ ...inVault, kind: 'source', key: 'source_key', sizeBytes: 'source_size_bytes' },
		{ ...inVault, kind: 'audio', key: 'audio_key' },
		{ ...inVault, kind: 'speech audio', key: 'ai_audio_key' },
		{ ...inVault, kind: 'download', key: 'download_key' },
		{ ...inMedia, kind: 'thumbnail', key: 'custom_thumbnail_key' },
		{ ...inMedia, kind: 'frame', key: 'frame_key' },
		{ ...inMedia, kind: 'preview', key: 'preview_key' },
		{ ...inMedia, kind: 'storyboard', key: 'storyboard_key', contents: 'storyboard' },
		{ ...inMedia, kind: 'playback', key: 'manifest_key', contents: 'master playlist' },
		{ ...inMedia, kind: 'transcript', key: 'transcript_key' },
		{ ...inMedia, kind: 'subtitles', key: 'subtitles_key', contents: 'subtitles' },
		{ ...inMedia, kind: 'chapters', key: 'chapters_key' },
	]
}

/** Every column that names an object. A test compares the list with the tables. */
export const expectedColumns: readonly ExpectedColumn[] = [
	...listAssetColumns('assets'),
	...listAssetColumns('trashed_assets'),
	{
		kind: 'subtitles',
		table: 'asset_subtitles',
		bucket: 'media',
		key: 'key',
		id: 'asset_id',
		contents: 'subtitles',
	},
	{
		kind: 'download',
		table: 'renditions',
		bucket: 'vault',
		key: 'download_key',
		id: 'asset_id',
		sizeBytes: 'download_bytes',
	},
	{ ...clip, kind: 'clip', key: "iif(status = 'ready', clip_folder || 'clip.mp4', null)" },
	{
		...clip,
		kind: 'poster of a clip',
		key: "iif(status = 'ready' and has_poster, clip_folder || 'poster.jpg', null)",
	},
	{ kind: 'logo', table: 'orgs', bucket: 'media', key: 'logo_key', id: 'id', owner: 'organization' },
	{
		kind: 'avatar',
		table: 'memberships',
		bucket: 'vault',
		key: 'avatar_key',
		id: 'community_id',
		owner: 'community',
	},
	{ kind: 'image', table: 'images', bucket: 'vault', key: 'object_key', id: 'post_id', owner: 'post' },
]
