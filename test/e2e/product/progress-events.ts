import { AssetProgress } from '#schema/contract/video/transcoding.ts'

/** All events of a stream of progress, until it ends by itself. */
export async function readProgress(url: string, token: string): Promise<AssetProgress[]> {
	const answer = await fetch(url, {
		headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
	})
	if (!answer.ok) throw new Error(`progress: ${answer.status}`)
	return (await answer.text())
		.split('\n\n')
		.filter((event) => /^event: progress$/m.test(event))
		.map((event) => AssetProgress.parse(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')))
}
