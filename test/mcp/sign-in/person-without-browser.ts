/** In the place of a person with a browser: fills in each form that is shown, and follows the redirects. Returns the text of the last page, after `onEnd` got its address. */
export async function followForms(start: URL, onEnd: (url: URL) => void = () => {}): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const page = await response.text();
    const location = response.headers.get('location');
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (location === null && action === undefined) {
      onEnd(url);
      return page.replaceAll(/<[^>]*>/g, ' ');
    }
    url = new URL(location ?? action ?? '', url);
    form = location === null ? fieldsOf(page) : undefined;
  }
  throw new Error('The sign-in has no end.');
}

/** The fields of a form: the hidden ones as they are, and a name and a password. */
function fieldsOf(page: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(input)?.[1];
    const value = / value="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, value ?? 'ada');
  }
  return fields;
}
