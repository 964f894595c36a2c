import { expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { uploadDirectly } from '#schema/contract/video/direct-uploads.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { refusePartialBody } from '../../../../edge/http/body/partial-body.ts'

const inChunks: string[] = [uploadSource.id, uploadDirectly.id]
const part = new Request('https://edge.test/', { headers: { 'content-range': 'bytes 0-999/5000' } })

test('every operation with a body rejects partial content, except the uploads that take chunks', () => {
	const taking = allOperations.filter((op) => op.body || op.takesBytes)
	expect(taking.length).toBeGreaterThan(100)
	for (const op of taking) {
		const act = () => refusePartialBody(op, part)
		if (inChunks.includes(op.id)) act()
		else expect(act, op.id).toThrow(/TUS/)
	}
})
