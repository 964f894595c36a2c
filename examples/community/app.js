// A front end of a community. Each page takes one or two requests.
const asked = new URLSearchParams(location.search)
// Write your own address here. Any address in the URL could collect passwords, so only this machine may be named there.
const API = 'http://127.0.0.1:8787'
const isLocal = /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/
const api = isLocal.test(asked.get('api') ?? '') ? asked.get('api') : API
const community = asked.get('community') ?? 'club'
const main = document.querySelector('main')
const status = document.querySelector('#status')

async function call(method, path, body) {
	const headers = { 'x-community-slug': community }
	if (sessionStorage.token) headers.authorization = `Bearer ${sessionStorage.token}`
	if (body) headers['content-type'] = 'application/json'
	const response = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) })
	const answer = await response.json()
	if (response.status === 401) delete sessionStorage.token
	if (!response.ok) throw new Error(answer.error)
	return answer
}
const headless = (method, path, body) => call(method, `/api/headless/v1${path}`, body)

/** Builds markup. Every value is escaped unless it is markup itself, so no record can add a script. */
class Markup {
	constructor(text) {
		this.text = text
	}
}
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeText = (text) => String(text).replaceAll(/[&<>"']/g, (character) => entities[character])
const write = (value) => {
	if (Array.isArray(value)) return value.map(write).join('')
	return value instanceof Markup ? value.text : escapeText(value ?? '')
}
const html = (texts, ...values) => new Markup(String.raw({ raw: texts }, ...values.map(write)))

const day = (time) => new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

function byline({ author, space, created_at }) {
	const role = author?.role && author.role !== 'member' ? ` (${author.role})` : ''
	const parts = [
		`${author?.name ?? 'Deleted account'}${role}`,
		author?.headline,
		space?.name,
		day(created_at),
	]
	return html`<p class="quiet">${parts.filter(Boolean).join(' · ')}</p>`
}

/** The record has the counts, the caller's reaction and whether they may react: no further request. */
function reactions(type, { id, reactions, my_reaction, policies }) {
	const shown = Object.keys(reactions)
	if (policies.can_react && !shown.includes('👍')) shown.push('👍')
	return html`<div class="bar">${shown.map(
		(one) => html`<button id="${type}-${id}-${one}" data-type="${type}" data-id="${id}" data-reaction="${one}"
			aria-pressed="${one === my_reaction}" aria-label="${one}: ${count(reactions[one] ?? 0, 'reaction')}"
			${policies.can_react ? '' : 'disabled'}>${one === 'like' ? '♥' : one} ${reactions[one] ?? 0}</button>`,
	)}</div>`
}

/** The URL has a token, so the browser loads and caches the image itself. The size reserves its place. */
const image = ({ url, width, height, alt }) =>
	html`<img src="${url}" width="${width ?? 640}" height="${height ?? 360}" alt="${alt}" loading="lazy">`

const card = (post) => html`<article>
	<h2><a href="#/posts/${post.id}">${post.name ?? post.excerpt.slice(0, 60)}</a></h2>
	${byline(post)} ${post.images.slice(0, 1).map(image)}
	<p class="text">${post.excerpt}${post.is_truncated ? '…' : ''}</p>
	${reactions('Post', post)}
	<p class="quiet">${count(post.comments_count, 'comment')}</p>
</article>`

const form = (label, path) => html`<form data-path="${path}">
	<label>${label} <textarea name="body" required maxlength="10000" rows="1"></textarea></label>
	<div><button>Send</button></div>
</form>`

const comment = (record) => html`<article>
	${record.removed_at ? html`<p class="quiet">This comment was removed</p>` : byline(record)}
	<p class="text">${record.body}</p>
	${record.removed_at ? '' : reactions('Comment', record)}
	${(record.replies ?? []).map(comment)}
	${record.replies_count > 3 ? html`<p class="quiet">${count(record.replies_count - 3, 'more reply', 'more replies')}</p>` : ''}
	${record.policies.can_reply ? html`<details><summary>Reply</summary>${form('Your reply', `/comments/${record.id}/replies`)}</details>` : ''}
</article>`

function seats({ rsvp_count, waitlisted_count, capacity }) {
	const going = capacity === null ? `${rsvp_count} going` : `${rsvp_count} of ${capacity} going`
	return waitlisted_count > 0 ? `${going}, ${waitlisted_count} waiting` : going
}

function event(record) {
	const { starts_at, in_person_location } = record.event_setting_attributes
	const answers = { going: 'You are going', waitlisted: 'You are on the waitlist' }
	return html`<article>
		<h2>${record.display_title}</h2>
		<p class="quiet">${[day(starts_at), in_person_location ?? 'Online', record.space.name].join(' · ')}</p>
		<p class="text">${record.body_plain_text}</p>
		<div class="bar">
			<button id="event-${record.id}" data-event="${record.id}" aria-pressed="${record.rsvped_event !== null}">
				${answers[record.rsvped_event] ?? 'Attend'}</button>
			<span class="quiet">${seats(record)}</span>
		</div>
	</article>`
}

/** Each page returns its title and its content. */
const pages = {
	async posts() {
		const { records } = await headless('GET', '/home?body=excerpt')
		return ['Posts', records.map(card)]
	},
	async post(id) {
		const comments = headless('GET', `/posts/${id}/comments?per_page=100`)
		const [post, { records }] = await Promise.all([headless('GET', `/posts/${id}`), comments])
		const writer = post.policies.can_comment ? form('Comment', `/posts/${id}/comments`) : ''
		const text = html`<p class="text">${post.body}</p>`
		return [
			post.name ?? 'Post',
			[byline(post), post.images.map(image), text, reactions('Post', post), records.map(comment), writer],
		]
	},
	async events() {
		const { records } = await headless('GET', '/community_events')
		return ['Events', records.map(event)]
	},
	async 'sign-in'() {
		return [
			'Sign in',
			html`<form data-sign-in>
			<label>Email <input name="email" type="email" autocomplete="username" required></label>
			<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
			<button>Sign in</button>
		</form>`,
		]
	},
}

/** Shows the page of the URL again, and keeps the focus where it was. */
async function show() {
	const focused = document.activeElement?.id
	const [, name, id] = location.hash.split('/')
	const page = !sessionStorage.token ? 'sign-in' : name === 'events' ? 'events' : id ? 'post' : 'posts'
	const [title, content] = await pages[page](id)
	document.title = title
	main.innerHTML = write(html`<h1>${title}</h1>${content}`)
	for (const link of document.querySelectorAll('nav a')) {
		if (link.dataset.page === page) link.setAttribute('aria-current', 'page')
		else link.removeAttribute('aria-current')
	}
	const target = focused && document.getElementById(focused)
	;(target || main).focus({ preventScroll: true })
	if (!target) scrollTo(0, 0)
}

/** Does something, then shows the page again; or says what went wrong, in the words of the server. */
async function attempt(act) {
	status.textContent = ''
	try {
		await act?.()
		await show()
	} catch (error) {
		status.textContent = error.message
		if (!sessionStorage.token) await show()
	}
}

main.addEventListener('click', ({ target }) => {
	const { reaction, type, id, event } = target.dataset
	const isOn = target.ariaPressed === 'true'
	const method = isOn ? 'DELETE' : 'POST'
	if (event) void attempt(() => headless(method, `/events/${event}/event_attendees`))
	const to = { reactable_type: type, reactable_id: Number(id) }
	if (reaction) void attempt(() => headless(method, '/reactions', isOn ? to : { ...to, reaction }))
})
main.addEventListener('submit', (submit) => {
	submit.preventDefault()
	const { path } = submit.target.dataset
	const body = Object.fromEntries(new FormData(submit.target))
	void attempt(async () => {
		if (path) await headless('POST', path, body)
		else sessionStorage.token = (await call('POST', '/v1/auth/login', body)).data.token
	})
})
addEventListener('hashchange', () => attempt())
void attempt()
