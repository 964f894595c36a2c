import type { Fetch } from '../../../../scripts/operate/hls-validator/load.ts'
import type { Files } from '../../../support/shared/made-presentation.ts'

const types: Record<string, string> = {
	m3u8: 'application/vnd.apple.mpegurl',
	m4s: 'video/iso.segment',
	mp4: 'video/mp4',
	ts: 'video/mp2t',
	vtt: 'text/vtt; charset=utf-8',
}

/** A presentation whose files and delivery a test can change. */
export class Served {
	base = 'https://media.example/v/'
	readonly files: Files
	readonly headers = new Map<string, Record<string, string | null>>()
	readonly redirects = new Map<string, string>()

	constructor(files: Files) {
		this.files = new Map(files)
	}

	get address(): string {
		return `${this.base}master.m3u8`
	}

	text(name: string): string {
		return new TextDecoder().decode(this.files.get(name))
	}

	/** Changes a file; throws if nothing changed, because the test would prove nothing. */
	edit(name: string, change: (text: string) => string): void {
		const before = this.text(name)
		const after = change(before)
		if (after === before) throw new Error(`${name} is unchanged`)
		this.files.set(name, Buffer.from(after))
	}

	editAll(pattern: RegExp, change: (text: string) => string): void {
		for (const name of this.names(pattern)) this.edit(name, change)
	}

	patch(pattern: RegExp, change: (bytes: Buffer) => Buffer | undefined): void {
		for (const name of this.names(pattern)) {
			const before = Buffer.from(this.files.get(name) ?? [])
			const copy = Buffer.from(before)
			const after = change(copy) ?? copy
			if (after.equals(before)) throw new Error(`${name} is unchanged`)
			this.files.set(name, after)
		}
	}

	names(pattern: RegExp): string[] {
		const found = [...this.files.keys()].filter((name) => pattern.test(name))
		if (found.length === 0) throw new Error(`no file matches ${pattern}`)
		return found
	}

	readonly fetch: Fetch = async (url, { headers }) => {
		const name = url.slice(this.base.length)
		const location = this.redirects.get(name)
		if (location) return new Response(null, { status: 302, headers: { location } })
		const bytes = url.startsWith(this.base) ? this.files.get(name) : undefined
		if (!bytes) return new Response(null, { status: 404 })
		const extension = name.split('.').at(-1) ?? ''
		const headerFields: Record<string, string | null> = {
			'content-type': types[extension] ?? 'application/octet-stream',
			'content-encoding': extension === 'm3u8' ? 'gzip' : null,
			...this.headers.get(name),
		}
		const present = Object.entries(headerFields).flatMap(([key, value]) =>
			value === null ? [] : [[key, value] as const],
		)
		const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
		const part = from && to ? bytes.slice(Number(from), Number(to) + 1) : bytes.slice()
		return new Response(part, {
			status: from ? 206 : 200,
			headers: present.map(([key, value]) => [key, value]),
		})
	}
}
