import { expect, test } from 'vitest'
import { completeNextLink, setNextCursor } from '../../../../edge/http/page.ts'

function writeLink(url: string, publicUrl?: string): string | null {
	const headers = new Headers()
	setNextCursor([1, 'a'], { url }, headers)
	const vars = (publicUrl ? { PUBLIC_URL: publicUrl } : {}) as Parameters<typeof completeNextLink>[1]['vars']
	completeNextLink(headers, { vars }, { url })
	return headers.get('link')
}

const nextPage = '/v1/orgs?limit=2&cursor=WzEsImEiXQ'

test.each<[string, string, string | undefined, string]>([
	['has the origin of the request without PUBLIC_URL', 'http://a.test:80', undefined, 'http://a.test'],
	['has the scheme of PUBLIC_URL behind a proxy', 'http://a.test', 'https://a.test', 'https://a.test'],
	['has the path of PUBLIC_URL', 'http://a.test', 'https://a.test/video', 'https://a.test/video'],
	['keeps the host of a community', 'https://film.test', 'https://a.test', 'https://film.test'],
	['never sends clients of a community to http', 'http://film.test', 'https://a.test', 'https://film.test'],
	['keeps http on an installation without TLS', 'http://film.test', 'http://a.test', 'http://film.test'],
	['names no loopback host to clients', 'http://127.0.0.1:8787', 'https://a.test', 'https://a.test'],
	['keeps a port', 'http://localhost:8787', undefined, 'http://localhost:8787'],
])('the link to the next page %s', (_, origin, publicUrl, base) => {
	expect(writeLink(`${origin}/v1/orgs?limit=2`, publicUrl)).toBe(`<${base}${nextPage}>; rel="next"`)
})

test('the last page gets no link', () => {
	const headers = new Headers()
	completeNextLink(headers, { vars: {} as never }, { url: 'http://a.test/v1/orgs' })
	expect([...headers]).toEqual([])
})
