import type { TaskKind, TaskSpec, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { BucketName } from '../../../platform/storage/bucket.ts'
import { sourcePrefix, thumbnailFolder } from '../../assets/storage-keys.ts'
import { clipsFolder, formatLeaseFolder, listJobFolders } from '../store/output-folders.ts'

type LeasedTask = { id: string; epoch: number; jobId: string; assetId: string }

const contentTypes: Record<string, string> = {
	mp4: 'video/mp4',
	m4s: 'video/iso.segment',
	m4a: 'audio/mp4',
	opus: 'audio/ogg',
	ogg: 'audio/ogg',
	flac: 'audio/flac',
	jpg: 'image/jpeg',
	webp: 'image/webp',
}

export const IMMUTABLE = 'public, max-age=31536000, immutable'

export type OutputLocation = { bucket: BucketName; key: string; contentType: string; cacheControl?: string }

/** Complete files for download or transcription are private and served by presigned URL only. */
const isPrivate = (kind: TaskKind, name: string): boolean =>
	kind === 'download' || kind === 'speech-plan' || /^(playback|speech)\./.test(name)

/** Clips and thumbnails outlive the job, because highlights and assets do. */
function findTaskFolder(
	{ kind, assetId, jobId }: LeasedTask & { kind: TaskKind },
	playbackId: string,
	bucket: BucketName,
): string {
	if (kind === 'clip') return clipsFolder(playbackId)
	return kind === 'poster' ? thumbnailFolder(playbackId) : listJobFolders(playbackId, assetId, jobId)[bucket]
}

/** Returns the folder of one lease. */
export function findOutputFolder(
	task: LeasedTask & { kind: TaskKind },
	playbackId: string,
	bucket: BucketName,
): string {
	return `${findTaskFolder(task, playbackId, bucket)}${formatLeaseFolder(task)}/`
}

export function findOutputLocation(
	task: LeasedTask & { kind: TaskKind },
	playbackId: string,
	name: string,
): OutputLocation {
	const bucket = isPrivate(task.kind, name) ? 'vault' : 'media'
	return {
		bucket,
		key: findOutputFolder(task, playbackId, bucket) + name,
		contentType: contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
		...(bucket === 'media' && { cacheControl: IMMUTABLE }),
	}
}

/** Returns the one large output of a task. A fetched source outlives the job; a download is deleted with it. */
export function findLargeOutput(
	task: LeasedTask & { kind: TaskKind },
	spec: TaskSpec,
	playbackId: string,
): OutputLocation | null {
	if (spec.kind === 'fetch')
		return {
			bucket: 'vault',
			key: `${sourcePrefix(task.assetId)}${formatLeaseFolder(task)}/source`,
			contentType: 'application/octet-stream',
		}
	return spec.kind === 'download' ? findOutputLocation(task, playbackId, `${spec.rung}.mp4`) : null
}

/** The parts of an output's name: `480p/12.m4s` is segment 12 in the folder `480p`. */
type OutputName = { name: string; folder: string; file: string; segment: number | null; isImage: boolean }
type NameCheck<K extends TaskKind> = (spec: TaskSpecByKind<K>, output: OutputName) => boolean

const expectedNames: { [K in TaskKind]: NameCheck<K> } = {
	fetch: () => false,
	inspect: () => false,
	remux: ({ rung, cuts }, { folder, file, segment }) =>
		folder === rung && (file === 'init.mp4' || (segment !== null && segment < cuts.length)),
	video: ({ storyboard, rungs, firstSegment, cuts }, { name, folder, file, segment }) =>
		name === 'sheet.jpg'
			? storyboard !== null
			: rungs.some(({ id }) => id === folder) &&
				(file === 'init.mp4' ||
					(segment !== null && segment >= firstSegment && segment < firstSegment + cuts.length)),
	audio: ({ filesOnly, tracks }, { name, folder, file, segment }) =>
		/^(playback|speech)\.(m4a|opus|ogg|flac)$/.test(name) ||
		(!filesOnly && tracks.some(({ id }) => id === folder) && (file === 'init.mp4' || segment !== null)),
	stills: ({ storyboard }, { name, folder, isImage }) =>
		name === 'poster.jpg' ||
		name === 'preview.webp' ||
		(folder === 'sheets' && isImage && storyboard !== null),
	download: ({ rung }, { name }) => name === `${rung}.mp4`,
	'speech-plan': (_, { name }) => /^chunk-(0|[1-9]\d{0,2})\.flac$/.test(name),
	transcribe: () => false,
	poster: (_, { name }) => name === 'poster.jpg',
	clip: ({ rung }, { name }) => name === 'clip.mp4' || (name === 'poster.jpg' && rung !== null),
}

/** Checks whether the spec of a task allows this output. */
export function isExpectedOutput(spec: TaskSpec, name: string): boolean {
	const [folder = '', file = ''] = name.split('/')
	const [, number, ending] = /^(0|[1-9]\d{0,5})\.(m4s|jpg)$/.exec(file) ?? []
	const segment = ending === 'm4s' ? Number(number) : null
	const output = { name, folder, file, segment, isImage: ending === 'jpg' }
	return (expectedNames[spec.kind] as NameCheck<TaskKind>)(spec, output)
}
