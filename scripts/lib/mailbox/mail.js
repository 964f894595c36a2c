// Announces new mail with a link, without changing the page.
const status = document.getElementById('new-mail')
const { root } = status.dataset
let { version } = status.dataset

async function watch() {
	for (;;) {
		try {
			const response = await fetch(`${root}/changes?after=${encodeURIComponent(version)}`)
			if (!response.ok) return
			const current = await response.text()
			if (current !== version) announce()
			version = current
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 1000))
		}
	}
}

function announce() {
	const link = document.createElement('a')
	link.href = root
	link.textContent = 'New mail: show it'
	status.replaceChildren(link)
}

await watch()
