// Draws the interactive reference. A key that is entered is kept by this page alone, until it is left.

const chosen = document.documentElement.dataset.theme;
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', (chosen ?? (isDark ? 'dark' : 'light')) === 'dark');

// Swagger UI sends every example as it stands, and the cursor of one search is an error in another: optional
// parameters begin empty.
const response = await fetch('/api/v1/openapi.json');
const spec = await response.json();
for (const operations of Object.values(spec.paths)) {
  // HEAD asks as GET does.
  delete operations.head;
  for (const parameter of (operations.get.parameters ?? []).filter(({ required }) => !required)) {
    delete parameter.example;
    delete parameter.examples;
    delete parameter.schema.example;
    delete parameter.schema.examples;
  }
}

globalThis.SwaggerUIBundle({
  dom_id: '#reference',
  spec,
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
