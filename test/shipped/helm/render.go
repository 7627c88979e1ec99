// Renders templates of a chart as Helm does: text/template with sprig, and what Helm adds of it that the chart uses.
// Usage: render <values as YAML> <chart> <release> <template>…
package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func read(text []byte) map[string]interface{} {
	values := map[string]interface{}{}
	must(yaml.Unmarshal(text, &values))
	return values
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	chart, err := os.ReadFile(os.Args[2])
	must(err)
	about := read(chart)
	context := map[string]interface{}{
		"Values":  read([]byte(os.Args[1])),
		"Release": map[string]interface{}{"Name": os.Args[3], "Namespace": "default"},
		"Chart":   map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
	}
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		must(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	for _, file := range os.Args[4:] {
		text, err := os.ReadFile(file)
		must(err)
		made, err := template.New(file).Option("missingkey=error").Funcs(functions).Parse(string(text))
		must(err)
		fmt.Println("---")
		must(made.Execute(os.Stdout, context))
	}
}
