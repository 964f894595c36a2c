import { AssetProgress } from '#schema/contract/video/transcoding.ts'

/** Reads all events of a progress stream until it ends. */
export async function readProgress(url: string, token: string): Promise<AssetProgress[]> {
	const response = await fetch(url, {
		headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
	})
	if (!response.ok) throw new Error(`progress: ${response.status}`)
	return (await response.text())
		.split('\n\n')
		.filter((event) => /^event: progress$/m.test(event))
		.map((event) => AssetProgress.parse(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')))
}
